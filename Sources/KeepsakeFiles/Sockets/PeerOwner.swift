#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CKeepsakeSockets

/// The user of this machine to whom the other end of a connection belongs.
package struct PeerOwner: Sendable, Hashable {
  package let user: UInt32

  package init(user: UInt32) { self.user = user }

  /// Whether the user is that of this process, or the one who may do everything.
  package var mayActForUs: Bool { user == geteuid() || user == 0 }
}
