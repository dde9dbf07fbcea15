#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// When a span began and ended, and how that is known: a trace has no span without times.
struct OTelTime {
  enum Basis: String {
    /// A run was recorded when it began and when it ended.
    case run
    /// The entries of the span say when they came to be.
    case entries
    /// Nobody said it: the newest time that is known of an entry before.
    case position
    /// No entry before says any time: when the session was created, or taken in.
    case session
    /// Those of all spans inside.
    case spans
  }

  private(set) var start: Int64
  private(set) var end: Int64
  let basis: Basis

  /// Between the first and the last of some times; nil where there are none.
  init?(_ times: [Date?], _ basis: Basis) {
    let known = times.compactMap { $0?.microseconds }
    guard let first = known.min(), let last = known.max() else { return nil }
    start = first
    end = last
    self.basis = basis
  }

  init(_ time: Date, _ basis: Basis) {
    start = time.microseconds
    end = start
    self.basis = basis
  }

  /// As long as a span inside.
  init(around other: OTelTime) {
    start = other.start
    end = other.end
    basis = .spans
  }

  /// Makes it as long as to hold another one.
  mutating func add(_ other: OTelTime) {
    start = min(start, other.start)
    end = max(end, other.end)
  }

  /// Nanoseconds since 1970; what is before that, or beyond what fits, is at the limit.
  static func nanoseconds(_ microseconds: Int64) -> String {
    let (nanoseconds, isTooLarge) = UInt64(max(0, microseconds)).multipliedReportingOverflow(
      by: 1000)
    return String(isTooLarge ? .max : nanoseconds)
  }
}
