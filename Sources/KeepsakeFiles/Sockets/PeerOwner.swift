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

  /// Tells whether the owner of the connection is the user of this process, or root.
  package var mayActForUs: Bool { user == geteuid() || user == 0 }
}
