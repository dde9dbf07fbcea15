#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The clock on the person's wall, by the system's settings and `TZ`.
public enum LocalClock {
  /// By how many seconds it is ahead of UTC at a time, in seconds since 1970; 0 where the system does not know.
  public static func secondsAhead(at seconds: Int64) -> Int {
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
