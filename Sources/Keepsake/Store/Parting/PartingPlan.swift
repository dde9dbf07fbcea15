#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a store has to do about a session that a hub has another version of.
struct PartingPlan: Sendable {
  /// Where the pasts part.
  let comparison: PastComparison
  /// What is ours, as a session of its own; nil where the pasts don't part, or nothing of ours would be left.
  let parted: SessionCommit?
  /// Tells whether that session is a fork of the original, which the store it comes to must have as the hub has it.
  let isFork: Bool
  /// Our forks of what is ours, which have to come after it. They keep their ids, and have other chains than here.
  let followers: [SessionCommit]
  /// The erasures that we made in what both have. The original has these contents again once it is as the hub has it, until
  /// they are erased there, too.
  let owedErasures: [ErasedElsewhere.Row]
}
