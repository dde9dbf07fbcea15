#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The person's local time, by the system's settings and `TZ`.
package enum LocalClock {
  /// The number of seconds by which local time is ahead of UTC at a time; 0 where the system does not know.
  /// - Parameter seconds: The time, in seconds since 1970.
  package static func secondsAhead(at seconds: Int64) -> Int {
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
