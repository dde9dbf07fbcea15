#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Takes the changes of sessions in a store that shares them with other stores: tries them here, asks the hub, and writes what
/// the hub has taken.
///
/// A change is tried in a transaction that is rolled back, and what it changed is read as commits. Only what the hub has taken is
/// written to the folder, by the code that writes what other stores made. So the folder never has what the hub has not, and
/// losing the folder loses nothing. The transaction of a small change may stay open while the hub decides, as ``HeldRehearsal`` says.
///
/// The writer makes one call to the hub at a time. Changes that arrive during a call go to the hub together, with the next call.
final class SharedWriter: Sendable {
  let hub: any Hub
  /// The handle through which the folder is written.
  let handle: StoreHandle
  private let queue = Locked(Queue())
  private let erasings = Locked<Set<UUID>>([])
  /// The commits of which nobody knows whether the hub has them.
  let unresolved = Locked<[UUID: Rehearsal.Proposal]>([:])
  /// The signs by which the writer decides whether to hold the transaction of a change while the hub decides.
  let foresight = Locked(Foresight())
  /// The sessions to which the last change that was tried came too late. Other stores write to them, too.
  private let contested = Locked<Set<UUID>>([])

  private struct Queue {
    var waiting: [SharedRequest] = []
    /// Tells whether a task serves the queue.
    var isServed = false
    var isClosed = false
    /// The calls of ``close()`` that wait until no task serves the queue any more.
    var closing: [CheckedContinuation<Void, Never>] = []

    /// Notes that no task serves the queue any more, if no request waits, and returns the calls of ``close()`` that waited for that.
    mutating func takeClosing() -> [CheckedContinuation<Void, Never>] {
      guard waiting.isEmpty else { return [] }
      isServed = false
      defer { closing = [] }
      return closing
    }
  }

  /// The outcome of serving some requests: each request has ended, or has to be tried again.
  private struct Served {
    /// The requests that have to be tried again, because others changed their sessions meanwhile.
    var again: [SharedRequest] = []
    /// The requests that are done, or have failed with an error, whose callers are not answered yet.
    var ended: [(request: SharedRequest, error: (any Error)?)] = []
  }

  /// The number of tries after which a change that came too late each time may be given up. Before that, a change is tried again even
  /// if its deadline has passed.
  private static let tries = 16
  /// The most requests whose sessions are held at a time. A held session may take a connection of the hub.
  private static let mostHeld = 4
  /// The most contested sessions that the writer remembers.
  private static let mostContested = 10_000
  /// The most requests that are tried together.
  private static let batch = 256

  init(hub: any Hub, handle: StoreHandle) {
    self.hub = hub
    self.handle = handle
  }

  /// Changes sessions, and returns when the hub has the change.
  ///
  /// - Parameters:
  ///   - sessions: The session that the change is about, and then those that it depends on.
  ///   - bytes: About how many bytes the change writes.
  ///   - handle: The handle through which it is made.
  ///   - isCancellable: Whether the task's cancellation stops it while it waits.
  ///   - body: The change, which may run more than once.
  func write<Result: Sendable>(
    in sessions: [UUID], bytes: Int, for handle: StoreHandle, isCancellable: Bool,
    _ body: @escaping @Sendable (Change) throws -> Result
  ) async throws -> Result {
    try await answer(
      to: SharedChange(in: sessions, bytes: bytes, for: handle, body), isCancellable: isCancellable)
  }

  /// Does work on a session while no change of this store is tried, asked for or written.
  func alone<Result: Sendable>(
    on session: UUID, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await answer(to: SharedErrand(on: session, body), isCancellable: true)
  }

  /// Has the folder's commits wait for no disk: the hub has what they say, and gives it again after a loss of power. This store leaves
  /// its note at the hub.
  func begin() async throws {
    try await handle.exclusively { try $0.files.setSyncsCommits(false) }
    let sync = sync()
    try await sync.readErasings()
    try await sync.leaveNote()
  }

  /// Waits for what waits, and lets go of the hub.
  func close() async {
    await withCheckedContinuation { continuation in
      let isServed = queue.withLock { queue in
        queue.isClosed = true
        if queue.isServed { queue.closing.append(continuation) }
        return queue.isServed
      }
      if !isServed { continuation.resume() }
    }
    try? await sync().keepPeer()
    try? await sync().leaveNote()
    try? await handle.exclusively { try $0.files.setSyncsCommits(true) }
    await hub.close()
  }

  /// A run of keeping in step, through the hub that this has open.
  func sync(progress: (@Sendable (SyncReport) -> Void)? = nil) -> Sync {
    Sync(
      store: Store(handle: handle), hub: hub, isShared: true, erasings: erasings,
      progress: progress)
  }
}

// MARK: - The queue

extension SharedWriter {
  /// Has a request served, and returns its result. The cancellation of the caller's task withdraws a request that still waits.
  private func answer<Result: Sendable>(
    to request: SharedCall<Result>, isCancellable: Bool
  ) async throws -> Result {
    try await withTaskCancellationHandler {
      if isCancellable { try Task.checkCancellation() }
      return try await withCheckedThrowingContinuation { continuation in
        request.caller = continuation
        add(request)
      }
    } onCancel: {
      if isCancellable { withdraw(request) }
    }
  }

  private func add(_ request: SharedRequest) {
    let (isClosed, isFirst) = queue.withLock { queue in
      if queue.isClosed { return (true, false) }
      queue.waiting.append(request)
      defer { queue.isServed = true }
      return (false, !queue.isServed)
    }
    if isClosed { return request.finish(KeepsakeError.closed(handle.layout.path)) }
    if !isFirst { return }
    // `immediate` begins the task on this thread. To wake another thread for it would take about as long as trying a change.
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate { await serve() }
    } else {
      Task { await serve() }
    }
  }

  private func withdraw(_ request: SharedRequest) {
    let isWaiting = queue.withLock { queue in
      guard let index = queue.waiting.firstIndex(where: { $0 === request }) else { return false }
      queue.waiting.remove(at: index)
      return true
    }
    if isWaiting { request.finish(CancellationError()) }
  }

  /// Serves requests until none waits.
  private func serve() async {
    while let requests = next() {
      var served = Served()
      do { served = try await serve(requests) } catch {
        served.ended = requests.map { ($0, error) }
      }
      let (now, tries) = (Instant.now, Self.tries)
      let late = served.again.partition { $0.tries >= tries && now >= $0.deadline }
      for request in served.again[late...] {
        served.ended.append((request, KeepsakeError.overtaken(request.sessions[0])))
      }
      let again = served.again[..<late]
      let (isOver, closing) = queue.withLock { queue in
        queue.waiting.insert(contentsOf: again, at: 0)
        return (queue.waiting.isEmpty, queue.takeClosing())
      }
      // The callers are answered after the serving has ended. A caller that has its next change ready finds the queue free then, and
      // serves that change on its own thread.
      for (request, error) in served.ended { request.finish(error) }
      for continuation in closing { continuation.resume() }
      if isOver { return }
      // A caller's thread may have served the requests. The caller has its answer, and needs its thread to go on.
      await Task.yield()
    }
  }

  /// Takes the next requests from the queue. If no request waits, this returns nil, and nobody serves the queue any more.
  private func next() -> [SharedRequest]? {
    let (next, closing) = queue.withLock {
      queue -> ([SharedRequest]?, [CheckedContinuation<Void, Never>]) in
      if queue.waiting.isEmpty { return (nil, queue.takeClosing()) }
      let first = queue.waiting[0]
      let others = queue.waiting.dropFirst().prefix(Self.batch - 1).prefix { !$0.comesFirst }
      let next = first.runsAlone ? [first] : [first] + others
      queue.waiting.removeFirst(next.count)
      return (next, [])
    }
    for continuation in closing { continuation.resume() }
    return next
  }
}

// MARK: - Try, ask, write

extension SharedWriter {
  /// Serves some requests. The hub has other stores wait with the sessions that are contested.
  private func serve(_ requests: [SharedRequest]) async throws -> Served {
    if let first = requests.first, first.runsAlone {
      try await first.run()
      return Served(ended: [(first, nil)])
    }
    let hasUnresolved = unresolved.withLock { !$0.isEmpty }
    let faults = hasUnresolved ? await resolve(Set(requests.flatMap(\.sessions))) : [:]
    let held = try heldSessions(of: requests)
    var new: [UUID: NewVersions] = [:]
    for row in held {
      let read = await hub.hold(row.id, readingAfter: row.version, bytes: Sync.partBytes)
      new[row.id] = read.map { NewVersions($0, after: row) }
    }
    do {
      let served = try await tryAll(requests, faults, new)
      for row in held { await hub.release(row.id) }
      return served
    } catch {
      for row in held { await hub.release(row.id) }
      throw error
    }
  }

  /// Returns the contested sessions of requests that the hub is asked to hold. All stores hold sessions in the same order, and commit held
  /// sessions before all others, so that no two stores wait for each other.
  private func heldSessions(of requests: [SharedRequest]) throws -> [HubSessionTable.Row] {
    let contested = contested.withLock { $0 }
    if contested.isEmpty { return [] }
    let late = requests.filter { !contested.isDisjoint(with: $0.sessions) }
      .sorted { $0.tries > $1.tries }
    if late.isEmpty { return [] }
    let sessions = Set(late.prefix(Self.mostHeld).flatMap(\.sessions))
    let known = try handle.read { db in
      try sessions.compactMap { try db.hubSessions.row($0) }.filter { $0.version > 0 }
    }
    return known.sorted { $0.id.uuidString < $1.id.uuidString }
  }

  /// Tries some requests, asks the hub for what they change, and writes what it has taken. What others changed in contested sessions is
  /// taken over first.
  ///
  /// - Parameters:
  ///   - requests: The requests.
  ///   - faults: The errors of sessions that take no change now.
  ///   - new: The first versions of sessions that are new here, as far as they were read already.
  /// - Returns: The requests that have to be tried again, and those that are done or have failed.
  /// - Throws: An error that concerns all the requests, none of which was answered.
  private func tryAll(
    _ requests: [SharedRequest], _ faults: [UUID: any Error], _ new: [UUID: NewVersions]
  ) async throws -> Served {
    var faults = faults
    let contested = contestedSessions(of: requests)
    for session in contested where faults[session] == nil {
      do { try await settle(session, new[session]) } catch { faults[session] = error }
    }
    let tried = requests.filter { request in !request.sessions.contains { faults[$0] != nil } }
    for request in tried { request.tries += 1 }
    let held = contested.isEmpty ? await hold(tried) : nil
    let rehearsal = if let held { try held.rehearsal.get() } else { try await rehearse(tried) }
    foresight.withLock { $0.dataVersion = rehearsal.dataVersion }
    let answers = await ask(rehearsal.proposals, given: held?.answers)
    var served = Served()
    for request in requests {
      if let fault = request.sessions.compactMap({ faults[$0] }).first {
        served.ended.append((request, fault))
      }
    }
    for (index, request) in tried.enumerated() {
      // The hub may take a fork, and refuse what another request changes in the session from which the fork was made.
      let own = answers[request.session]
      if let error = own?.error {
        served.ended.append((request, error))
        continue
      }
      do {
        // A request without an answer changed nothing, or failed. On a newer version of its sessions it might do something else.
        let isLate =
          if let own { own.isNo } else { try await !areNewest(request.sessions) }
        if isLate {
          served.again.append(request)
          noteContested(request.sessions)
        } else {
          served.ended.append((request, rehearsal.errors[index]))
        }
      } catch { served.ended.append((request, error)) }
    }
    let taken = rehearsal.proposals.compactMap { proposal in
      answers[proposal.session]?.version.map { Taken(proposal: proposal, version: $0) }
    }
    if held?.isWritten != true {
      await write(
        taken, served.ended.filter { $0.error == nil }.flatMap { $0.request.tried?.later ?? [] })
    }
    return served
  }

  /// Tries requests in a transaction that is rolled back.
  private func rehearse(_ requests: [SharedRequest]) async throws -> Rehearsal {
    try await handle.rehearse(bytes: requests.reduce(0) { $0 + $1.bytes }) { writing in
      defer { for request in requests.reversed() { request.tried?.undo() } }
      return try Rehearsal(requests, in: writing)
    }
  }

  private func noteContested(_ sessions: [UUID]) {
    contested.withLock { contested in
      // A session that is forgotten here costs one try that comes too late.
      if contested.count > Self.mostContested { contested = [] }
      contested.formUnion(sessions)
    }
  }

  private func contestedSessions(of requests: [SharedRequest]) -> Set<UUID> {
    contested.withLock { contested in
      contested.isEmpty ? [] : contested.intersection(requests.flatMap(\.sessions))
    }
  }

  /// Takes over what others changed in a contested session. If that is nothing, the session is contested no more.
  private func settle(_ session: UUID, _ new: NewVersions?) async throws {
    let before = try handle.read { try $0.hubSessions.row(session)?.version }
    try await catchUp(session, beginningWith: new)
    let after = try handle.read { try $0.hubSessions.row(session)?.version }
    if before == after { contested.withLock { _ = $0.remove(session) } }
  }

  /// Tells whether the hub has nothing newer of some sessions than what is here, and takes over what is newer. A session that was left
  /// aside is looked at again, because another task may have got by now what the session lacked.
  private func areNewest(_ sessions: [UUID]) async throws -> Bool {
    let there = try await hub.directory(of: sessions)
    var areNewest = true
    for session in sessions {
      if let failure = there.failures[session] { throw failure }
      let seen = try handle.read { try $0.hubSessions.row(session) }
      let head = there.heads.first { $0.session == session }
      let isSame =
        head?.version ?? 0 == seen?.version ?? 0 && (head == nil || head?.stamp == seen?.stamp)
      if isSame, seen?.fault == nil { continue }
      try await catchUp(session)
      if isSame, try handle.read({ try $0.hubSessions.row(session)?.fault }) != nil { continue }
      areNewest = false
    }
    return areNewest
  }

  /// A commit that the hub has taken.
  struct Taken: Sendable {
    let proposal: Rehearsal.Proposal
    let version: Int64
  }

  /// Writes what the hub has taken, and what concerns this store alone.
  ///
  /// An error here loses nothing, and its callers were told the truth: the hub has the changes. Whoever needs the sessions next
  /// takes them over, or gets the error.
  func write(_ taken: [Taken], _ later: [Change.Local]) async {
    if taken.isEmpty, later.isEmpty { return }
    if (try? await writeTogether(taken, later)) != nil { return }
    for one in taken { try? await catchUp(one.proposal.session) }
    for local in later { try? await handle.write { try local($0) } }
  }

  private func writeTogether(_ taken: [Taken], _ later: [Change.Local]) async throws {
    let handle = handle
    let source = RestoreArtifacts(source: HubArtifacts(hub: hub, present: []), handle: handle)
    // From the bytes that others read: what these don't say is missing here, too.
    let commits = try taken.map { try SessionCommit(decoding: $0.proposal.row.bytes) }
    let prepared = try await PreparedCommit.prepare(commits, from: source)
    let size = taken.reduce(0) { $0 + $1.proposal.row.bytes.count }
    let unused = try await handle.write(prepared, bytes: size, isCancellable: false) {
      prepared, change in
      let db = change.db
      var unused = UnusedArtifacts()
      for (one, prepared) in zip(taken, prepared) {
        let row = one.proposal.row
        var seen = try db.hubSessions.row(row.session) ?? .init(id: row.session)
        // Another process that uses the folder may have written it already.
        if seen.version >= one.version { continue }
        let writer = CommitWriter(
          commit: prepared.commit, artifacts: prepared.artifacts, handle: handle)
        unused.append(try writer.write(row, onto: &seen, in: change))
        seen.version = one.version
        try db.hubSessions.put(seen)
      }
      for local in later { try local(change) }
      return unused
    }
    if !unused.digests.isEmpty {
      _ = try await handle.removeTraces(files: unused.digests, indexPieces: .max)
    }
  }
}

extension CommitWriter {
  /// Writes a commit that this store made, onto the version that the folder has.
  /// - Parameters:
  ///   - row: The commit as it was sent.
  ///   - seen: The version that the folder has. It gets the commit's stamp, and its number is set once the hub has said it.
  ///   - change: The change.
  /// - Returns: The artifacts that lost their last use.
  func write(
    _ row: OfferTable.Row, onto seen: inout HubSessionTable.Row, in change: Change
  ) throws -> UnusedArtifacts {
    guard seen.stamp == row.base else { throw KeepsakeError.overtaken(row.session) }
    let unused = try change.db.unsent.pausing { try write(in: change) }.unused
    seen.stamp = row.stamp
    return unused
  }
}

extension StoreHandle {
  /// Runs a body in a transaction that is rolled back at the end.
  /// - Parameters:
  ///   - bytes: About how many bytes the body writes.
  ///   - body: The work.
  func rehearse<Result: Sendable>(
    bytes: Int = 0, _ body: @escaping @Sendable (WriteTables) throws -> Result
  ) async throws -> Result {
    try requireWriter()
    do { return try await database.rehearse(bytes: bytes, body) } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }
}
