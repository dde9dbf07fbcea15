#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A survey reads all versions of all sessions of a hub once, so that a check or a sweep knows what the sessions need.
struct HubSurvey: Sendable {
  /// The newest version that was read of each session.
  private(set) var newest: [UUID: Int64] = [:]
  private(set) var versions = 0
  /// The sessions that were deleted.
  private(set) var deleted: Set<UUID> = []
  /// The artifacts that some commit names.
  private(set) var named: Set<Artifact.ID> = []
  /// The artifacts whose bytes a session needs as it is now, each with one such session.
  private(set) var needed: [Artifact.ID: UUID] = [:]
  /// The sessions whose older versions still say what was erased, each with the version that takes their place.
  private(set) var unfinished: [UUID: Int64] = [:]
  /// The sessions that were forked, with what they were forked from.
  private(set) var origins: [UUID: UUID] = [:]
  /// The sessions that can't be read, each with the reason.
  private(set) var faults: [UUID: String]
  /// The comparison of the hub's lists with the sessions, if it is wanted.
  private(set) var lists: HubLists?

  /// Reads all sessions of a hub.
  ///
  /// - Parameters:
  ///   - hub: The hub.
  ///   - lists: A comparison that gets each session; nil for none.
  ///   - progress: A closure that gets how many sessions were read, of how many.
  init(
    of hub: some Hub, comparing lists: HubLists? = nil,
    progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws {
    self.lists = lists
    let directory = try await hub.directory()
    faults = directory.failures.mapValues(\.message)
    let sessions = directory.heads.map(\.session)
    var count = 0
    for start in stride(from: 0, to: sessions.count, by: HubLists.part) {
      let part = Array(sessions[start..<min(sessions.count, start + HubLists.part)])
      let areListed = self.lists?.areKept ?? false
      try await Abreast.forEach(part, atMost: ReadAhead.width) { session in
        try Task.checkCancellation()
        return try await SurveyedSession(reading: session, of: hub, withEntry: areListed)
      } _: { _, session in
        add(session)
        count += 1
        progress?(count, sessions.count)
      }
      try await self.lists?.compare(with: hub)
    }
    try await self.lists?.finish(at: hub)
  }

  private mutating func add(_ session: SurveyedSession) {
    newest[session.id] = session.newest
    versions += session.versions
    if session.isDeleted { deleted.insert(session.id) }
    named.formUnion(session.named)
    for artifact in session.needed { needed[artifact] = session.id }
    unfinished[session.id] = session.unfinished
    origins[session.id] = session.origin
    if let fault = session.fault { faults[session.id] = fault }
    if let entry = session.entry { lists?.add(entry) }
  }
}
