#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Asking the hub for the places of commits, until it has answered.
extension SharedWriter {
  /// The hub's decision on a proposal, as far as it is known.
  enum Answer: Sendable {
    case taken(version: Int64)
    /// Others changed the session meanwhile.
    case no
    /// The hub did not take it, or nobody knows whether it did.
    case failed(any Error)

    var isNo: Bool { if case .no = self { true } else { false } }
    var version: Int64? { if case .taken(let version) = self { version } else { nil } }
    var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }
  }

  /// The first pause before a call is repeated.
  private static let pause = Duration.milliseconds(20)

  /// Asks the hub, and sends the same again where it gave no answer, as long as the store has patience.
  ///
  /// The changes don't run again for that. Their bytes are sent again, which the hub knows by their stamp.
  /// - Parameters:
  ///   - proposals: The proposals.
  ///   - given: The answers to the proposals, if the hub was asked once already.
  /// - Returns: The answer to each proposal.
  func ask(
    _ proposals: [Rehearsal.Proposal], given: [HubAnswer]? = nil
  ) async -> [UUID: Answer] {
    var first = given
    var answers: [UUID: Answer] = [:]
    var open = proposals
    var pause = Self.pause
    var puts = 0
    let deadline = Instant.now.advanced(by: handle.options.patience)
    while !open.isEmpty {
      let given: [HubAnswer]
      do { given = if let first = first.take() { first } else { try await call(open) } } catch {
        for proposal in open { answers[proposal.session] = unknown(proposal) ?? .failed(error) }
        break
      }
      var again: [Rehearsal.Proposal] = []
      var lacking: Set<Artifact.ID> = []
      for (proposal, answer) in zip(open, given) {
        if case .lacks(let artifacts) = answer, puts < Sync.puts {
          lacking.formUnion(artifacts)
          again.append(proposal)
          continue
        }
        answers[proposal.session] = note(answer, to: proposal)
        if case .failed(let error) = answer, error.mayPass { again.append(proposal) }
      }
      open = again
      if !lacking.isEmpty {
        puts += 1
        do { try await put(lacking.sorted()) } catch {
          for proposal in open where answers[proposal.session] == nil {
            answers[proposal.session] = .failed(error)
          }
          break
        }
      }
      guard open.contains(where: { answers[$0.session] != nil }) else { continue }
      if Instant.now >= deadline { break }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(1))
    }
    return answers
  }

  /// Makes one call to the hub. An error is thrown only where nothing was offered.
  private func call(_ proposals: [Rehearsal.Proposal]) async throws -> [HubAnswer] {
    let start = Instant.now
    defer { noteAnswer(since: start) }
    do {
      return try await hub.commit(proposals.map { HubOffer($0, in: handle) })
    } catch let error as KeepsakeError where error.cause as? HubFault == .unreachable {
      return proposals.map { _ in .failed(error) }
    }
  }

  /// Notes the time that the hub took for its last answer.
  func noteAnswer(since start: Instant) {
    foresight.withLock { $0.answerTime = Instant.now - start }
  }

  /// Notes what the hub answered to a proposal, and whether that is known now.
  private func note(_ answer: HubAnswer, to proposal: Rehearsal.Proposal) -> Answer {
    let session = proposal.session
    func known(_ answer: Answer) -> Answer {
      _ = unresolved.withLock { $0.removeValue(forKey: session) }
      return answer
    }
    switch answer {
    case .yes(let version): return known(.taken(version: version))
    case .no: return known(.no)
    case .lacks(let artifacts): return known(.failed(KeepsakeError.lost(artifacts, by: hub)))
    // A hub takes no commit that is too large, and none from an earlier version of Keepsake. If an earlier call got no answer, the hub may
    // have taken the commit before it was upgraded.
    case .failed(let error)
    where error.code == .tooLarge || error.cause as? HubFault == .newer && !isUnresolved(proposal):
      return known(.failed(error))
    case .failed(let error):
      unresolved.withLock { $0[session] = proposal }
      return .failed(KeepsakeError.unknown(session, hub, error))
    }
  }

  /// Tells whether an earlier call has left open if the hub has a proposal.
  private func isUnresolved(_ proposal: Rehearsal.Proposal) -> Bool {
    unresolved.withLock { $0[proposal.session]?.row.stamp } == proposal.row.stamp
  }

  /// The error of a proposal of which nobody knows; nil for any other.
  private func unknown(_ proposal: Rehearsal.Proposal) -> Answer? {
    guard isUnresolved(proposal) else { return nil }
    return .failed(KeepsakeError.unknown(proposal.session, hub, .closedHub(hub.identity.address)))
  }

  /// Asks again for the commits of some sessions of which nobody knows, and returns the errors of those that stay unknown.
  func resolve(_ sessions: Set<UUID>) async -> [UUID: any Error] {
    let open = unresolved.withLock { unresolved in
      unresolved.values.filter { sessions.contains($0.session) }
    }
    if open.isEmpty { return [:] }
    let answers = await ask(open)
    let taken = open.compactMap { proposal in
      answers[proposal.session]?.version.map { Taken(proposal: proposal, version: $0) }
    }
    await write(taken, [])
    return answers.compactMapValues(\.error)
  }
}

// MARK: - Artifacts

extension SharedWriter {
  /// Keeps the artifacts of a prepared change here, and puts them at the hub, before the change is tried.
  func put<Prepared: Renewable>(_ prepared: Prepared, isCancellable: Bool) async throws -> Prepared
  {
    if prepared.takenIn.isEmpty { return prepared }
    // The caller's cancellation does not reach a task of its own.
    return isCancellable
      ? try await put(prepared) : try await Task { try await put(prepared) }.value
  }

  private func put<Prepared: Renewable>(_ prepared: Prepared) async throws -> Prepared {
    let handle = handle
    let kept = try await handle.write(prepared, isCancellable: false) { prepared, change in
      for artifact in prepared.takenIn {
        _ = try handle.artifacts.keep(artifact, handle: handle, in: change)
      }
      return prepared
    }
    try await put(Set(kept.takenIn.map { Artifact.ID($0.digest) }).sorted())
    return kept
  }

  private func put(_ artifacts: [Artifact.ID]) async throws {
    var sync = sync()
    try await sync.put(artifacts)
  }
}

// MARK: - What others changed

extension SharedWriter {
  /// Takes over what is new of a session.
  /// - Parameters:
  ///   - session: The session.
  ///   - new: The first versions that are new here, if they were read already.
  func catchUp(_ session: UUID, beginningWith new: NewVersions? = nil) async throws {
    try await catchUp { try await $0.receive(session, beginningWith: new) }
  }

  /// Takes over what is new of some sessions.
  func catchUp(_ sessions: [UUID]) async throws {
    try await catchUp { try await $0.receive(sessions) }
  }

  private func catchUp(_ receive: (inout Sync) async throws -> Void) async throws {
    var sync = sync()
    try await receive(&sync)
    try await sync.removeDeleted()
    try await tell()
  }

  /// Tells the hub what it has not got: what it lost when it went back to an older state, how much less is needed of a deleted session, and
  /// which forks repeat no more what was erased. Where the hub gave no answer, it is told again, as long as the store has patience.
  private func tell() async throws {
    var pause = Self.pause
    let deadline = Instant.now.advanced(by: handle.options.patience)
    while try handle.read({ try $0.hasUntold() }) {
      var sync = sync()
      // If another store has told the hub the same sessions, reading them takes them off the list.
      try await sync.receive(handle.read { try $0.toldWhole() })
      try await sync.tell()
      guard sync.isUnanswered, Instant.now < deadline else { return }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(1))
    }
  }

  /// Takes over all that is new at the hub.
  @discardableResult
  func catchUp(progress: (@Sendable (SyncReport) -> Void)? = nil) async throws -> SyncReport {
    var sync = sync(progress: progress)
    try await sync.run()
    return sync.report
  }
}

extension Tables {
  /// Returns the sessions that are to be told as a whole, and of which the hub has a version.
  fileprivate func toldWhole() throws -> [UUID] {
    try unsent.sessions().filter(unsent.isToldWhole).compactMap { number in
      guard let known = try unsent.standing(of: number), known.presence == .shown,
        let seen = try hubSessions.row(known.id), seen.version > 0
      else { return nil }
      return known.id
    }
  }

  /// Tells whether there is something that the hub has not got, as far as is known.
  fileprivate func hasUntold() throws -> Bool {
    try !unsent.sessions().isEmpty || offers.count() > 0 || !hubSessions.untold().isEmpty
      || !unsent.removals().isEmpty
  }
}

extension HubOffer {
  init(_ proposal: Rehearsal.Proposal, in handle: StoreHandle) {
    self.init(proposal.commit, writtenDownAs: proposal.row, in: handle)
  }
}

extension KeepsakeError {
  /// Tells whether a hub may give an answer when it is asked once more.
  var mayPass: Bool {
    switch cause as? HubFault {
    case .unreachable, nil: true
    case .notAHub, .newer, .older, .another, .unconditional, .damaged: false
    }
  }
}
