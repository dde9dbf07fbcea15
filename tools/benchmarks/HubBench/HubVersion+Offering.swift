import Foundation
import Keepsake

extension HubVersion {
  /// Offers the same commit once more, for another session: to measure what a hub needs for the offers that a store makes.
  ///
  /// The commit goes on naming its own session, so that no store can take over what a hub makes of the offer.
  /// - Parameters:
  ///   - session: The session that gets the commit.
  ///   - base: The stamp of the version that the commit builds on there; nil for a new session.
  /// - Throws: A `CopyFault` if the bytes are no commit.
  func offered(to session: UUID, on base: UUID?) throws -> HubOffer {
    let commit = try SessionCommit(decoding: bytes)
    return HubOffer(
      session: session, base: base, stamp: UUID(), bytes: bytes,
      artifacts: Set(commit.records.flatMap(\.requiredArtifacts)).sorted(),
      listing: HubListing(of: commit))
  }
}
