#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The sessions of a hub that may have changed since a mark.
package struct HubChanges: Sendable, Hashable {
  /// The newest version that was heard of for each session.
  package var sessions: [UUID: Int64]
  /// The mark to go on from.
  package var mark: HubMark
  /// Tells whether sessions may have changed that are not listed, so that only the directory tells all.
  package var mayHaveMissed: Bool

  package init(sessions: [UUID: Int64], mark: HubMark, mayHaveMissed: Bool) {
    self.sessions = sessions
    self.mark = mark
    self.mayHaveMissed = mayHaveMissed
  }
}
