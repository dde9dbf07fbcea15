#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// All sessions of a hub.
package struct HubDirectory: Sendable {
  /// The newest version of each session that can be read, by the sessions' ids in order.
  package var heads: [HubHead]
  /// Why a session can't be read. The others are not touched by that.
  package var failures: [UUID: KeepsakeError]

  package init(heads: [HubHead] = [], failures: [UUID: KeepsakeError] = [:]) {
    self.heads = heads
    self.failures = failures
  }
}
