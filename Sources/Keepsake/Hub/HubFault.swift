#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Why a hub refused: the cause of a ``KeepsakeError``, for programs that have to tell the reasons apart.
package enum HubFault: Error, Sendable, Hashable {
  /// The hub is not where it should be, or the system does not let us in. Later it may be.
  case unreachable
  /// The address leads to something that is no hub.
  case notAHub
  /// A newer version of Keepsake made the hub or wrote to it.
  case newer
  /// An earlier version of Keepsake made the hub. The hub has to be upgraded before it is used.
  case older
  /// Another hub is at the address; its id is given.
  case another(UUID)
  /// The place does not keep to what hubs need, so that two stores could both be told yes.
  case unconditional
  /// Something in the hub was altered or is gone; nil where it is no session's.
  case damaged(session: UUID?)
}
