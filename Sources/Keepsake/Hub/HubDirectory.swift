#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Sessions of a hub: all of them, or those that were asked for.
package struct HubDirectory: Sendable {
  /// The newest version of each session that can be read, by the sessions' ids in order.
  package var heads: [HubHead]
  /// Why a session can't be read. The others are not touched by that.
  package var failures: [UUID: KeepsakeError]

  package init(heads: [HubHead] = [], failures: [UUID: KeepsakeError] = [:]) {
    self.heads = heads
    self.failures = failures
  }

  /// Adds what another part of the sessions says.
  package mutating func add(_ part: HubDirectory) {
    heads += part.heads
    failures.merge(part.failures) { first, _ in first }
  }
}
