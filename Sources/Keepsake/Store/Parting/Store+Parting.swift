#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// Compares what this store has of a session with what a hub has of it, and makes what is ours a session of its own where the
  /// two part. Nothing is written.
  ///
  /// The same is made again as long as the session here stays as it is. The cost is that of reading the whole session.
  /// - Parameters:
  ///   - session: The id of the session.
  ///   - theirs: The commits that the hub took since a version that this store had, in their order, or all of them.
  ///   - since: The chain at that version. It is needed where the first of these commits is a deletion.
  ///   - deleted: The sessions that were deleted at the hub. It is needed where the session was deleted.
  /// - Throws: A ``CopyFault`` if the commits are faulty or follow a version that this store never had, and a ``KeepsakeError``
  ///   with the code `notFound` if the session is not here.
  @concurrent
  func parting(
    of session: UUID, from theirs: [SessionCommit], since: Chain? = nil, deleted: Set<UUID> = []
  ) async throws -> PartingPlan {
    try handle.read { db in
      try PartingPlan(of: session, from: theirs, since: since, deleted: deleted, in: db)
    }
  }
}

extension PartingPlan {
  /// Makes the plan from what a store has at one moment.
  init(
    of session: UUID, from theirs: [SessionCommit], since: Chain? = nil, deleted: Set<UUID>? = nil,
    in db: Tables
  ) throws {
    let past = try SessionPast(of: theirs, since: since)
    let ours = try WholeCommits(in: db).commits(of: [session], orPurged: true)
    let records = try SessionRecords(of: session, in: ours)
    let comparison = try PastComparison(ours: records.past, theirs: past)
    guard comparison.parts(records) else {
      self.init(comparison)
      return
    }
    let deleted = try deleted ?? Self.deleted(in: db)
    let sizes = try Self.sizes(of: records[.attachment], in: db)
    func parting(_ records: SessionRecords) -> Parting {
      Parting(
        of: records, at: comparison,
        without: ErasedElsewhere(
          by: theirs, in: past, after: comparison.common, besidesDeletion: records.isPurged),
        deleted: deleted, sizes: sizes)
    }
    let forks = try Self.forks(of: session, in: db)
    let own = parting(records)
    var parted = try own.commit()
    // A fork of a change that only this store has becomes a fork of this session.
    var (origin, originCommit) = (own, parted)
    if comparison.isDeleted, !records.isPurged {
      originCommit = nil
      // If the hub has nothing that this store lacks, the original and its forks stay as this store has them.
      if comparison.theirs > 0, !forks.isEmpty {
        origin = parting(
          try SessionRecords(of: session, in: ours.map { $0.session == session ? $0.hidden : $0 }))
        originCommit = try origin.commit()
      }
    }
    var followers: [SessionCommit] = []
    if let originCommit {
      var following = try FollowingForks(origin, as: originCommit)
      followers = try following.following(forks)
    }
    if records.isPurged, followers.isEmpty { parted = nil }
    let isApart = originCommit?.session != parted?.session && !followers.isEmpty
    self.init(
      comparison: comparison, parted: parted, kept: isApart ? originCommit : nil,
      isFork: own.isFork, followers: followers, owedErasures: own.owedErasures)
  }

  /// Returns the sessions that were deleted, and those that are about to be.
  private static func deleted(in db: Tables) throws -> Set<UUID> {
    Set(try db.sessions.purged() + db.hubSessions.removed())
  }

  /// Returns the sizes of the artifacts that attachments have.
  private static func sizes(of attachments: [CopyRecord], in db: Tables) throws -> [Artifact.ID:
    Int64]
  {
    var sizes: [Artifact.ID: Int64] = [:]
    for artifact in attachments.compactMap(\.artifact) where sizes[artifact] == nil {
      guard let number = try db.artifacts.number(of: artifact.digest) else { continue }
      sizes[artifact] = try db.artifacts.size(of: number).map(Int64.init)
    }
    return sizes
  }

  /// Returns whole commits of all forks of a session, the parents before their forks. Among them are deleted forks that other forks need.
  private static func forks(of session: UUID, in db: Tables) throws -> [SessionCommit] {
    guard let known = try db.sessions.standing(of: session.bytes) else { return [] }
    return try db.sessions.family(of: known.number).dropFirst().map {
      try WholeCommits(in: db).commit(of: $0.number)
    }
  }
}

extension PastComparison {
  /// Tells whether the changes that only this store has become a session of their own. If this store has deleted the session, the hub's past
  /// takes the place of this store's, so every such change has to be kept apart.
  fileprivate func parts(_ records: SessionRecords) -> Bool {
    records.isPurged ? ours > 0 && !isMoved : outcome == .parted
  }
}

extension PartingPlan {
  /// Makes a plan for pasts that don't part.
  init(_ comparison: PastComparison) {
    self.init(
      comparison: comparison, parted: nil, isFork: false, followers: [], owedErasures: [])
  }
}

extension Parting {
  /// The rows that both pasts have and that one of them erased, in the order of the erasures. That is the hub's past if the session was deleted
  /// at the hub, and otherwise the past in this store.
  var owedErasures: [ErasedElsewhere.Row] {
    erased.isEverything ? erased.rows : ours.past.erasures(after: common)
  }
}
