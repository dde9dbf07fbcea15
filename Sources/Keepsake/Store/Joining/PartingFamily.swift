#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A session that went on in this store and at the hub, with its forks in this store, and the plan that keeps both continuations apart.
struct PartingFamily: Sendable {
  let plan: PartingPlan
  /// The number of the session.
  let number: Int64
  /// The forks in this store that need nothing but the changes which this store and the hub have in common.
  let forks: ForksHere
  /// Tells whether this store has the session already that keeps this store's continuation. Another store with the same changes made it.
  let hasParted: Bool
  /// Tells whether this store has the session already that keeps this store's continuation for forks.
  private let hasKept: Bool

  init(of session: UUID, from theirs: [SessionCommit], in db: Tables) throws {
    plan = try PartingPlan(of: session, from: theirs, in: db)
    guard let known = try db.sessions.standing(of: session.bytes) else { throw Sync.Changed() }
    number = known.number
    func has(_ made: SessionCommit?) throws -> Bool {
      try made.flatMap { try db.sessions.standing(of: $0.session.bytes) } != nil
    }
    (hasParted, hasKept) = (try has(plan.parted), try has(plan.kept))
    forks = try ForksHere(of: known.number, besides: Set(plan.followers.map(\.session)), in: db)
  }

  /// The sessions that keep this store's continuation: a new session, unless this store has that already, and the forks that follow it. Each
  /// session comes before its forks.
  var parted: [SessionCommit] {
    (hasParted ? [] : [plan.parted].compactMap(\.self))
      + (hasKept ? [] : [plan.kept].compactMap(\.self)) + plan.followers
  }

  /// Tells whether a later reading of the family found the same, so that the plan can still be carried out.
  func isSame(as other: PartingFamily) throws -> Bool {
    func bytes(_ family: PartingFamily) throws -> [[UInt8]] {
      try family.plan.followers.map { try $0.encoded() }
    }
    return try hasParted == other.hasParted && hasKept == other.hasKept
      && forks.isSame(as: other.forks)
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
