#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Tries requests in a transaction that stays open while the hub decides, and is committed if the hub takes all that they change.
///
/// So a change is written once, and is in the folder as soon as the hub has said yes. If the hub says anything else, or takes long, the
/// transaction is rolled back, and whatever the hub takes is written later, as that of any other ``Rehearsal``.
///
/// The transaction keeps everybody else from writing to the folder, so it waits for the hub only briefly, and only for a hub that was quick
/// before. ``SharedWriter`` uses this where no other process writes to the folder.
///
/// Sendable without a lock of its own: one thread has it at a time.
final class HeldRehearsal: @unchecked Sendable {
  /// The longest time for which the transaction waits for the hub.
  static let patience = Duration.milliseconds(10)
  /// The most requests. The answer of a hub to so few commits comes as a whole.
  static let mostRequests = 16

  /// The outcome of trying the requests; nil if they were not tried.
  private(set) var rehearsal: Result<Rehearsal, any Error>?
  /// Tells whether the folder has what the requests changed.
  private(set) var isWritten = false
  /// The moment at which the proposals were sent; nil if they were not sent.
  private(set) var sent: Instant?

  private let requests: [SharedRequest]
  private let handle: StoreHandle
  /// SQLite's `data_version` of a folder to which no other process wrote.
  private let dataVersion: Int64

  /// The cause of a transaction's end where the hub did not take everything in time.
  private struct NotTaken: Error {}

  init(_ requests: [SharedRequest], at dataVersion: Int64, handle: StoreHandle) {
    self.requests = requests
    self.dataVersion = dataVersion
    self.handle = handle
  }

  /// About how many bytes the requests write.
  var bytes: Int { requests.reduce(0) { $0 + $1.bytes } }

  /// A closure that tries the requests, for ``Hub/exchange(bytes:_:)``.
  var work: HubExchange { { self.run(offering: $0) } }

  private func run(offering offer: @escaping @Sendable ([HubOffer]) -> HubAnswers?) {
    do {
      let done: Void? = try handle.writeAtOnce(bytes: bytes) { writing in
        do { try write(in: writing, offering: offer) } catch {
          for request in requests.reversed() { request.tried?.undo() }
          throw error
        }
      }
      isWritten = done != nil
    } catch {
      // Once the requests were tried, the hub is asked whatever became of the transaction.
      if rehearsal == nil {
        rehearsal = .failure(KeepsakeError.wrap(error, store: handle.layout.path))
      }
    }
  }

  /// Tries the requests, sends what they change, and waits for the answers. An error has the transaction rolled back.
  private func write(
    in writing: WriteTables, offering offer: ([HubOffer]) -> HubAnswers?
  ) throws {
    let rehearsal = try Rehearsal(requests, in: writing)
    self.rehearsal = .success(rehearsal)
    let proposals = rehearsal.proposals
    guard mayStay(rehearsal), let answers = offer(proposals.map { HubOffer($0, in: handle) })
    else { throw NotTaken() }
    sent = .now
    let db = writing.tables
    var rows = try proposals.map { proposal in
      var row = try db.hubSessions.row(proposal.session) ?? .init(id: proposal.session)
      row.stamp = proposal.row.stamp
      // A hub gives the next number to a new version. If it gives another one, the row is written again.
      row.version += 1
      try db.hubSessions.put(row)
      return row
    }
    for number in rehearsal.changed { try db.unsent.forget(number) }
    for request in requests { try request.keep() }
    try writing.writePagesAhead()
    guard let given = answers(Self.patience) else { throw NotTaken() }
    for (index, answer) in given.enumerated() {
      guard case .yes(let version) = answer else { throw NotTaken() }
      if rows[index].version == version { continue }
      rows[index].version = version
      try db.hubSessions.put(rows[index])
    }
  }

  /// Tells whether the changes may stay in the folder as they were made, if the hub takes the proposals.
  private func mayStay(_ rehearsal: Rehearsal) -> Bool {
    let proposals = rehearsal.proposals
    // Other processes would have to wait for the hub, too.
    guard rehearsal.dataVersion == dataVersion, rehearsal.errors.isEmpty,
      proposals.count == rehearsal.changed.count, proposals.allSatisfy({ $0.isPlain })
    else { return false }
    let sessions = Set(proposals.map { $0.session })
    return requests.allSatisfy { !sessions.isDisjoint(with: $0.sessions) }
  }
}

extension SharedWriter {
  /// A rehearsal whose transaction was held while the hub was asked.
  struct Held {
    let rehearsal: Result<Rehearsal, any Error>
    /// The hub's answers to the proposals; nil if it was not asked.
    let answers: [HubAnswer]?
    /// Tells whether the folder has what the hub has taken.
    let isWritten: Bool
  }

  /// Tries requests in a transaction that is held while the hub decides; nil if they have to be tried without that.
  func hold(_ requests: [SharedRequest]) async -> Held? {
    let (dataVersion, time) = foresight.withLock { ($0.dataVersion, $0.answerTime) }
    guard let dataVersion, let time, time < HeldRehearsal.patience, !requests.isEmpty,
      requests.count <= HeldRehearsal.mostRequests, requests.allSatisfy({ $0.tries == 1 })
    else { return nil }
    let held = HeldRehearsal(requests, at: dataVersion, handle: handle)
    await handle.database.pauseIfDue()
    let answers = try? await hub.exchange(bytes: held.bytes, held.work)
    if let sent = held.sent { noteAnswer(since: sent) }
    guard let rehearsal = held.rehearsal else { return nil }
    return Held(rehearsal: rehearsal, answers: answers ?? nil, isWritten: held.isWritten)
  }
}

extension Rehearsal.Proposal {
  /// Tells whether the proposal only adds to a session, or changes it, and names no artifacts.
  fileprivate var isPlain: Bool {
    commit.base != nil && commit.gone.isEmpty && commit.erased.isEmpty && !commit.isErasing
      && !commit.isOfPurged && !commit.records.contains(where: \.namesArtifacts)
  }
}
