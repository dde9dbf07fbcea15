#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The user for whom the system executes this process's calls.
public enum SystemUser {
  /// The system's number of the user.
  public static var number: UInt32 { geteuid() }

  /// Whether the user is the administrator, who has all permissions.
  public static var isRoot: Bool { geteuid() == 0 }
}
