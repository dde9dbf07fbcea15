#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Synchronization

/// Writes proposals to the folder while the hub decides on them, and commits what it wrote if the hub takes all of them.
///
/// The time in which the hub decides is used that way. The proposals are written from the bytes that other stores read, by the code that
/// writes what other stores made. The transaction is committed only after the hub has said yes. If the hub says anything else, or takes
/// long, the transaction is rolled back, and whatever the hub takes is written later.
///
/// The transaction keeps everybody else from writing to the folder, so it waits for the hub only briefly, and only for a hub that was quick
/// before. ``SharedWriter`` uses this where no other process writes to the folder.
final class WritingAhead: Sendable {
  /// The longest time for which the transaction waits for the hub.
  static let patience = Duration.milliseconds(10)
  /// The most proposals. The answer of a hub to so few of them comes as a whole.
  static let mostProposals = 16

  private let proposals: [Rehearsal.Proposal]
  private let later: [Change.Local]
  private let handle: StoreHandle
  private let done = Atomic(false)

  /// The cause of a transaction's end where the hub did not take all proposals in time.
  private struct NotTaken: Error {}

  /// Creates the writing of some proposals.
  /// - Parameters:
  ///   - proposals: Proposals that are ``Rehearsal/Proposal/isPlain``.
  ///   - later: The changes of rows that concern this store alone, which go with them.
  ///   - handle: The handle through which the folder is written.
  init(_ proposals: [Rehearsal.Proposal], _ later: [Change.Local], handle: StoreHandle) {
    self.proposals = proposals
    self.later = later
    self.handle = handle
  }

  /// Tells whether the folder has the proposals.
  var isDone: Bool { done.load(ordering: .acquiring) }

  /// A closure that writes the proposals, for ``Hub/commit(_:meanwhile:)``.
  var work: HubMeanwhile { { self.write($0) } }

  /// Writes the proposals, waits for the answers and commits. If that fails, nothing is written.
  /// - Parameter answers: A function that waits for the hub's answers, for a time at most.
  private func write(_ answers: @escaping @Sendable (Duration) -> [HubAnswer]?) {
    let (proposals, later, handle) = (proposals, later, handle)
    let bytes = proposals.reduce(0) { $0 + $1.row.bytes.count }
    let isWritten = try? handle.writeAtOnce(bytes: bytes) { change in
      let db = change.db
      var rows = try proposals.map { proposal in
        let row = proposal.row
        var seen = try db.hubSessions.row(row.session) ?? .init(id: row.session)
        let commit = try SessionCommit(decoding: row.bytes)
        let writer = CommitWriter(commit: commit, artifacts: [:], handle: handle)
        let unused = try writer.write(row, onto: &seen, in: change)
        guard unused.digests.isEmpty else { throw NotTaken() }
        // A hub gives the next number to a new version. If it gives another one, the row is written again.
        seen.version += 1
        try db.hubSessions.put(seen)
        return seen
      }
      for local in later { try local(change) }
      try change.writePagesAhead()
      guard let answers = answers(Self.patience) else { throw NotTaken() }
      for (index, answer) in answers.enumerated() {
        guard case .yes(let version) = answer else { throw NotTaken() }
        if rows[index].version == version { continue }
        rows[index].version = version
        try db.hubSessions.put(rows[index])
      }
      return true
    }
    if isWritten == true { done.store(true, ordering: .releasing) }
  }
}

extension SharedWriter {
  /// Returns what writes the proposals of requests while the hub decides; nil if they are to be written later.
  func writingAhead(_ rehearsal: Rehearsal, for requests: [SharedRequest]) -> WritingAhead? {
    let version = rehearsal.dataVersion
    let isTimely = foresight.withLock { foresight in
      defer { foresight.dataVersion = version }
      // Other processes would have to wait for the hub, too.
      guard foresight.dataVersion == version, let time = foresight.answerTime else { return false }
      return time < WritingAhead.patience
    }
    let proposals = rehearsal.proposals
    guard isTimely, !proposals.isEmpty, proposals.count <= WritingAhead.mostProposals,
      rehearsal.errors.isEmpty, proposals.allSatisfy({ $0.isPlain })
    else { return nil }
    let sessions = Set(proposals.map { $0.session })
    guard requests.allSatisfy({ $0.tries == 1 && !sessions.isDisjoint(with: $0.sessions) })
    else { return nil }
    return WritingAhead(proposals, requests.flatMap(\.later), handle: handle)
  }
}

extension Rehearsal.Proposal {
  /// Tells whether the proposal only adds to a session, or changes it, and names no artifacts.
  fileprivate var isPlain: Bool {
    commit.base != nil && commit.gone.isEmpty && commit.erased.isEmpty && !commit.isErasing
      && !commit.isOfPurged && commit.records.allSatisfy { $0.artifacts.isEmpty }
  }
}
