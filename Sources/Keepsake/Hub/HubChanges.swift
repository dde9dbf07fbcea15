#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What may have changed in a hub since a mark.
package struct HubChanges: Sendable, Hashable {
  /// The newest version that was heard of for each session.
  package var sessions: [UUID: Int64]
  /// The mark to go on from.
  package var mark: HubMark
  /// Whether more may have changed than is said here, so that only the directory tells.
  package var mayHaveMissed: Bool

  package init(sessions: [UUID: Int64], mark: HubMark, mayHaveMissed: Bool) {
    self.sessions = sessions
    self.mark = mark
    self.mayHaveMissed = mayHaveMissed
  }
}
