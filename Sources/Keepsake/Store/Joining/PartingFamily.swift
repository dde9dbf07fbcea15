#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A session that parts, with its forks, as they are here.
struct PartingFamily: Sendable {
  let plan: PartingPlan
  /// The number of the session.
  let number: Int64
  /// The forks of what both have.
  let forks: ForksHere
  /// Tells whether what is ours is a session of its own already, because another store that had it made that.
  let hasParted: Bool

  init(of session: UUID, from theirs: [SessionCommit], in db: Tables) throws {
    plan = try PartingPlan(of: session, from: theirs, in: db)
    guard let known = try db.sessions.standing(of: session.bytes) else { throw Sync.Changed() }
    number = known.number
    hasParted = try plan.parted.flatMap { try db.sessions.standing(of: $0.session.bytes) } != nil
    forks = try ForksHere(of: known.number, besides: Set(plan.followers.map(\.session)), in: db)
  }

  /// The session that is made of ours, if it is new, and our forks of it. Each session comes before its forks.
  var parted: [SessionCommit] {
    (hasParted ? [] : [plan.parted].compactMap(\.self)) + plan.followers
  }

  /// Tells whether another reading found the same.
  func isSame(as other: PartingFamily) throws -> Bool {
    func bytes(_ family: PartingFamily) throws -> [[UInt8]] {
      try family.plan.followers.map { try $0.encoded() }
    }
    return try hasParted == other.hasParted && forks.isSame(as: other.forks)
      && bytes(self) == bytes(other)
  }

  /// Notes that the hub has none of the sessions in ``parted``, after they were written.
  func noteParted(in db: Tables) throws {
    // A deleted session reaches as far into its parent as its own forks need, so the forks come first.
    for commit in parted.reversed() {
      _ = try db.offers.remove(of: commit.session)
      try db.hubSessions.put(.init(id: commit.session, isRemoved: commit.isOfPurged))
      guard let known = try db.sessions.standing(of: commit.session.bytes) else { continue }
      try db.sessions.lowerReach(ofDeleted: known.number)
    }
  }
}
