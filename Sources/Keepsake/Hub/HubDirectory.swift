#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The sessions of a hub, or those of them that somebody asked for, with their newest versions.
package struct HubDirectory: Sendable {
  /// The newest version of each session that can be read, by the sessions' ids in order.
  package var heads: [HubHead]
  /// Why a session can't be read. The others are not touched by that.
  package var failures: [UUID: KeepsakeError]

  package init(heads: [HubHead] = [], failures: [UUID: KeepsakeError] = [:]) {
    self.heads = heads
    self.failures = failures
  }

  /// Adds the sessions of another directory of the same hub.
  package mutating func add(_ part: HubDirectory) {
    heads += part.heads
    failures.merge(part.failures) { first, _ in first }
  }
}
