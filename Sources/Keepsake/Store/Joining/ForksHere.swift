#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The forks of a session as they are here, which are written anew with the session when its rows are replaced.
struct ForksHere: Sendable {
  /// A fork, also one that was deleted and that other forks need.
  struct Fork: Sendable, Equatable {
    let id: UUID
    /// Tells whether the fork has changes that are not even on their way.
    let isListed: Bool
    /// The chain since which there are such changes; nil if the fork is to be told as a whole.
    let base: Chain?
  }

  /// The session itself as it is here.
  let own: SessionCommit
  private(set) var forks: [Fork] = []
  /// All that is here of each fork.
  private(set) var commits: [SessionCommit] = []
  /// Tells whether an answer streams into the session or into a fork.
  private(set) var hasDrafts = false

  /// Reads the forks of a session, and their forks, but for some.
  init(of number: Int64, besides others: Set<UUID> = [], in db: Tables) throws {
    own = try WholeCommits(in: db).commit(of: number)
    for member in try db.sessions.family(of: number) {
      if try !db.drafts.rows(of: member.number).isEmpty { hasDrafts = true }
      if member.number == number || others.contains(member.id) { continue }
      let isListed = try db.unsent.has(member.number)
      let base = isListed ? try db.unsent.standing(of: member.number)?.base : nil
      forks.append(Fork(id: member.id, isListed: isListed, base: base))
      commits.append(try WholeCommits(in: db).commit(of: member.number))
    }
  }

  /// Tells whether another reading found the same.
  func isSame(as other: ForksHere) throws -> Bool {
    func bytes(_ read: ForksHere) throws -> [[UInt8]] {
      try ([read.own] + read.commits).map { try $0.encoded() }
    }
    return try forks == other.forks && hasDrafts == other.hasDrafts && bytes(self) == bytes(other)
  }

  /// Tells whether a session has all entries that the forks share with it.
  func findAll(in whole: SessionCommit) -> Bool {
    // The number of the session's entries that each fork shares. A fork of a fork shares no more of them.
    var shared: [UUID: Int] = [own.session: .max]
    var needed = 0
    for fork in commits {
      guard let record = fork.records.first, let position = record.int("fork.position"),
        let parent = record.bytes("fork.of").flatMap(UUID.init(bytes:)), let most = shared[parent]
      else { continue }
      shared[fork.session] = min(most, position)
      // Nobody sees a deleted fork itself.
      if !fork.isOfPurged { needed = max(needed, min(most, position)) }
    }
    return whole.firstMissing >= needed
  }

  /// Restores what went with the old rows of the forks: the list of what the hub has not got, and how far deleted forks reach.
  func list(in db: Tables) throws {
    // A deleted fork reaches as far into its parent as its own forks need. The list has each session before its forks, so the loop goes from
    // the last fork to the first one.
    for fork in forks.reversed() {
      // A fork that the hub has not got at all is offered whole.
      if try db.hubSessions.row(fork.id) == nil { try db.hubSessions.put(.init(id: fork.id)) }
      guard let known = try db.sessions.standing(of: fork.id.bytes) else { continue }
      try db.sessions.lowerReach(ofDeleted: known.number)
      // A fork whose new rows lack erased content is listed already, to be told to the hub as a whole.
      if try fork.isListed && !db.unsent.isToldWhole(known.number) {
        try db.unsent.list(known.number, since: fork.base)
      }
    }
  }
}
