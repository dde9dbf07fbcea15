#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the pasts of a session in two stores part: this store's, and the one that a hub has.
///
/// Links tell it, and not who wrote them. So a folder that was restored from a backup, or copied, has nothing of its own where
/// it has what the hub has.
struct PastComparison: Sendable, Hashable {
  /// What a store has to do about a session that a hub has another version of.
  enum Outcome: Sendable, Hashable {
    /// Neither has a change of its own.
    case same
    /// The hub's past goes on where ours ends.
    case behind
    /// Ours goes on where the hub's ends.
    case ahead
    /// Each has changes of its own, so that what is ours becomes a session of its own.
    case parted
    /// The session was deleted at the hub, and nothing of ours is left to be kept.
    case deleted
    /// Ours has all that the hub's has, and begins elsewhere: it was forked from what the hub lost, and parted with that.
    case moved
  }

  let session: UUID
  /// The number of changes that both have, from the beginning of the session.
  let common: Int
  /// The number of changes that only this store has.
  let ours: Int
  /// The number of changes that only the hub has.
  let theirs: Int
  /// Tells whether the session was deleted at the hub.
  let isDeleted: Bool
  /// Tells whether the two pasts begin at different changes of what the session was forked from.
  let isMoved: Bool

  var outcome: Outcome {
    if isMoved { return .moved }
    if isDeleted { return ours > 0 ? .parted : .deleted }
    switch (ours > 0, theirs > 0) {
    case (false, false): return .same
    case (false, true): return .behind
    case (true, false): return .ahead
    case (true, true): return .parted
    }
  }

  /// Compares two pasts of one session.
  ///
  /// - Parameters:
  ///   - ours: The past in this store, from its beginning.
  ///   - theirs: The past at the hub, from a change on that both have.
  /// - Throws: A ``CopyFault`` if the first change that the hub's past tells does not follow one that this store has.
  init(ours: SessionPast, theirs: SessionPast) throws {
    session = ours.session
    isDeleted = theirs.isDeleted
    isMoved = ours.chain(after: theirs.base.count) != theirs.base
    let mine = isMoved ? ours.links[...] : ours.links(after: theirs.base.count)
    let same = zip(mine, theirs.links).prefix { $0 == $1 }.count
    let isWhole = theirs.isFromBeginning && !theirs.isDeleted && same == theirs.links.count
    guard ours.session == theirs.session, !isMoved || isWhole else {
      throw CopyFault(
        "what the hub tells of session \(ours.session) follows a change that this store does not have"
      )
    }
    common = isMoved ? 0 : theirs.base.count + same
    self.ours = mine.count - same
    self.theirs = theirs.links.count - same
  }
}
