#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// For whom the system does what this process asks.
public enum SystemUser {
  /// The number that the system knows the user by.
  public static var number: UInt32 { geteuid() }

  /// Whether that is the administrator, to whom nothing is refused.
  public static var isRoot: Bool { geteuid() == 0 }
}
