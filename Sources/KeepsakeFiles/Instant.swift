#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A moment of the monotonic clock, for deadlines and for how long something took.
///
/// It means nothing in another process or after a restart.
public struct Instant: Comparable, Hashable, Sendable {
  let nanoseconds: Int64

  /// The present moment.
  public static var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(time)
  }

  /// The moment that a clock shows; one that is too far for 64 bits, which no machine has run for, is cut off.
  init(_ time: timespec) {
    nanoseconds = time.nanoseconds
  }

  init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The moment that much later, or earlier for a negative duration; far moments are cut off.
  public func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let furthest: Int64 = seconds < 0 ? 0 : .max
    if overflow { return Instant(nanoseconds: furthest) }
    let (sum, tooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if tooFar { return Instant(nanoseconds: furthest) }
    let (moment, beyond) = nanoseconds.addingReportingOverflow(sum)
    return Instant(nanoseconds: beyond ? furthest : max(0, moment))
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// How long after the right moment the left one is.
  public static func - (left: Instant, right: Instant) -> Duration {
    let (difference, isTooFar) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return .nanoseconds(isTooFar ? (left < right ? .min : .max) : difference)
  }
}

extension timespec {
  /// As one number, which reaches from 1677 to 2262: what is farther is cut off.
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
