#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A moment of the monotonic clock, for deadlines and for measuring time.
///
/// It has no meaning in another process or after a restart.
package struct Instant: Comparable, Hashable, Sendable {
  let nanoseconds: Int64

  /// The current moment.
  package static var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(time)
  }

  /// The moment that a clock shows. A time that exceeds 64 bits, which no machine reaches, becomes the limit.
  init(_ time: timespec) {
    nanoseconds = time.nanoseconds
  }

  init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The moment later by a duration, or earlier for a negative one. Moments beyond the limits become the limits.
  package func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let furthest: Int64 = seconds < 0 ? 0 : .max
    if overflow { return Instant(nanoseconds: furthest) }
    let (sum, tooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if tooFar { return Instant(nanoseconds: furthest) }
    let (moment, beyond) = nanoseconds.addingReportingOverflow(sum)
    return Instant(nanoseconds: beyond ? furthest : max(0, moment))
  }

  package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The time from the right moment to the left one.
  package static func - (left: Instant, right: Instant) -> Duration {
    let (difference, isTooFar) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return .nanoseconds(isTooFar ? (left < right ? .min : .max) : difference)
  }
}

extension timespec {
  /// The time as nanoseconds, limited to the years 1677 to 2262 when counted from 1970.
  var nanoseconds: Int64 {
    let (whole, isTooFar) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = whole.addingReportingOverflow(Int64(tv_nsec))
    return isTooFar || isBeyond ? (tv_sec < 0 ? .min : .max) : sum
  }

  init(nanoseconds: Int64) {
    self.init(
      tv_sec: .init(nanoseconds / 1_000_000_000), tv_nsec: .init(nanoseconds % 1_000_000_000))
  }
}
