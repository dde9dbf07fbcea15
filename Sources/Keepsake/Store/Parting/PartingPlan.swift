#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a store has to do about a session that a hub has another version of.
struct PartingPlan: Sendable {
  /// Where the pasts part.
  let comparison: PastComparison
  /// The session that keeps the changes which only this store has. It is nil if there are no such changes, or if nothing would be left of them.
  /// If this store has deleted the original, it is a deleted session with the changes that forks in this store need.
  let parted: SessionCommit?
  /// A deleted session that keeps the changes which only this store has, for forks in this store; nil if no fork needs such a session beside
  /// ``parted``. If the hub has deleted the original, ``parted`` shows nothing of what the original had at the hub, and the forks still show all.
  var kept: SessionCommit?
  /// Tells whether ``parted`` is a fork of the original, which the store it comes to must have as the hub has it.
  let isFork: Bool
  /// Our forks of what is ours, which have to come after it. They keep their ids, and have other chains than here.
  let followers: [SessionCommit]
  /// The rows of the original to erase once the plan is carried out. An original that comes again as the hub has it lacks our own erasures.
  /// An original that was deleted at the hub stays as it is here, for its forks, and lacks those that others made before they deleted it.
  let owedErasures: [ErasedElsewhere.Row]
}
