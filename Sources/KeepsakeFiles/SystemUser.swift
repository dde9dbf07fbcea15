#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The user for whom the system executes this process's calls.
package enum SystemUser {
  /// The system's number of the user.
  package static var number: UInt32 { geteuid() }

  /// Whether the user is the administrator, who has all permissions.
  package static var isRoot: Bool { geteuid() == 0 }
}
