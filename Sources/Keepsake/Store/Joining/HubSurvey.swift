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
    for (index, head) in directory.heads.enumerated() {
      try Task.checkCancellation()
      progress?(index, directory.heads.count)
      do {
        let (stamp, commits) = try await read(head.session, of: hub)
        try await self.lists?.add(head.session, at: stamp, commits, of: hub)
      } catch let error as KeepsakeError where !error.isOfAHub {
        faults[head.session] = error.message
      } catch let error as CopyFault {
        faults[head.session] = "Its versions can't be used: \(error.reason)."
      }
    }
    try await self.lists?.finish(at: hub)
  }

  /// Reads a session, and returns the stamp of its newest version, and the commits from the last one that has the whole session on.
  private mutating func read(_ session: UUID, of hub: some Hub) async throws
    -> (stamp: UUID, commits: [SessionCommit])
  {
    var read = try await hub.allVersions(of: session)
    // Another store may have erased something between two parts of the reading. A second reading finds the version that has the rest.
    if read.map(\.commit).areErased { read = try await hub.allVersions(of: session) }
    guard let last = read.last else { throw CopyFault("it has none") }
    newest[session] = last.number
    versions += read.count
    let all = read.map(\.commit)
    let start = all.lastIndex(where: \.standsAlone) ?? 0
    if !all[..<start].allSatisfy(\.isRemainder) { unfinished[session] = read[start].number }
    let commits = Array(all[start...])
    if last.commit.isDeletion { deleted.insert(session) }
    if last.commit.isRemoval { return (last.stamp, commits) }
    if all.areErased {
      throw CopyFault("the one that takes the place of erased ones is missing")
    }
    _ = try SessionPast(of: commits)
    named.formUnion(commits.flatMap(\.records).flatMap(\.artifacts))
    for artifact in commits.needed { needed[artifact] = session }
    if let origin = commits.first?.records.first?.bytes("fork.of").flatMap(UUID.init(bytes:)) {
      origins[session] = origin
    }
    return (last.stamp, commits)
  }

  /// Returns the artifacts whose bytes a session needs now.
  static func needed(by session: UUID, of hub: some Hub) async throws -> Set<Artifact.ID> {
    let commits = try await hub.allVersions(of: session).map(\.commit)
    return Array(commits[(commits.lastIndex(where: \.standsAlone) ?? 0)...]).needed
  }
}

extension [SessionCommit] {
  /// The artifacts whose bytes a session needs after all of the commits.
  fileprivate var needed: Set<Artifact.ID> {
    var needed: Set<Artifact.ID> = []
    // A later commit may remove rows of some kinds, which need no artifact any more.
    var removable: [SessionCommit.Gone: [Artifact.ID]] = [:]
    for commit in self {
      needed.subtract(commit.erased)
      for gone in commit.gone { removable[gone] = nil }
      for record in commit.records {
        if let name = record.removableName {
          removable[name] = record.requiredArtifacts
        } else {
          needed.formUnion(record.requiredArtifacts)
        }
      }
    }
    return needed.union(removable.values.joined())
  }
}
