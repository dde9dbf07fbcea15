#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place of a commit among the versions of its session at a hub: its stamp, and the stamp of the version before it.
///
/// The bytes of a commit say it. So a commit that a hub gives in another place, again or out of its order, is known to be wrong, also
/// where the chain does not tell: a title is no part of it.
struct CommitPlace: Sendable, Hashable {
  let stamp: UUID
  /// The stamp of the version before; nil for the first one.
  let base: UUID?
}
