#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// One run of keeping a store in step with its hub: it pulls, pushes, and pulls again what was refused.
struct Sync {
  /// How often a session is offered again in one run, when others were faster each time.
  static let rounds = 8
  /// About how many bytes of commits are read, written down or sent at a time.
  static let partBytes = 8 << 20

  let store: Store
  let hub: any Hub
  /// Tells whether the store is a cache of what the hub has, so that what the hub has taken is still to be written here.
  let isShared: Bool
  /// The ids of the erasing notes that this store has seen: the hub had them when this sync began, or this store left them.
  let erasings: Locked<Set<UUID>>
  private let progress: (@Sendable (SyncReport) -> Void)?
  var report = SyncReport()
  /// Tells whether an offer got no answer that may get one if it is sent again.
  var isUnanswered = false
  /// The sessions that are being taken over because forks need them.
  var fetching: Set<UUID> = []
  var handle: StoreHandle { store.handle }

  init(
    store: Store, hub: any Hub, isShared: Bool = false,
    erasings: Locked<Set<UUID>> = Locked([]),
    progress: (@Sendable (SyncReport) -> Void)? = nil
  ) {
    self.store = store
    self.hub = hub
    self.isShared = isShared
    self.erasings = erasings
    self.progress = progress
  }

  mutating func run() async throws {
    try await readErasings()
    let joined = try handle.read { try $0.joined.row() }
    let mark = try await pull(after: joined?.mark.map(HubMark.init(text:)), synced: joined?.synced)
    try await tell()
    try await removeArtifacts()
    report.aside = try handle.read { db in
      try db.hubSessions.faulty().map { .init(session: $0.id, reason: $0.fault ?? "") }
    }
    try await keepPeer()
    // A session that could not be read now is found again by the directory.
    if report.failed.isEmpty {
      try await handle.write { change in
        try change.db.joined.update(mark: mark.text, synced: change.now())
      }
    }
    try await leaveNote()
  }

  /// Writes down how far the store is in the hub's feed.
  func keepPeer() async throws {
    guard let peer = hub.feedPeer else { return }
    try await handle.writeUncancelled { change in
      try change.db.joined.update(peer: peer.id, next: peer.next)
    }
  }

  /// Tells the hub what it has not got, and takes over what others changed meanwhile.
  mutating func tell() async throws {
    for _ in 0..<Self.rounds {
      let refused = try await push()
      if refused.isEmpty { break }
      try await receive(refused)
      try await removeDeleted()
    }
  }

  /// Passes on how far the run has got.
  func showProgress() { progress?(report) }

  /// Notes that a session could not be sent or read this time.
  mutating func failed(_ session: UUID, _ error: any Error) {
    let reason = (error as? KeepsakeError)?.message ?? "\(error)"
    let failure = HubMembership.Aside(session: session, reason: reason)
    if !report.failed.contains(failure) { report.failed.append(failure) }
  }
}
