#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The times of a span, which OpenTelemetry requires, and how they are known.
struct OTelTime {
  /// How the times of a span are known.
  enum Basis: String {
    /// The times were recorded when a run began and ended.
    case run
    /// The times are those of the span's entries.
    case entries
    /// The entries have no times, so the newest known time of an earlier entry is used.
    case position
    /// No earlier entry has a time either, so the time when the session was created or imported is used.
    case session
    /// The times enclose those of all inner spans.
    case spans
  }

  private(set) var start: Int64
  private(set) var end: Int64
  let basis: Basis

  /// Creates the range from the first to the last of some times; nil where none is known.
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

  /// Creates the times of an enclosing span from those of its first inner span.
  init(around other: OTelTime) {
    start = other.start
    end = other.end
    basis = .spans
  }

  /// Extends the times so that they enclose another span.
  mutating func add(_ other: OTelTime) {
    start = min(start, other.start)
    end = max(end, other.end)
  }

  /// Nanoseconds since 1970 as text. Times before 1970, or too large for 64 bits, become the nearest limit.
  static func nanoseconds(_ microseconds: Int64) -> String {
    let (nanoseconds, isTooLarge) = UInt64(max(0, microseconds)).multipliedReportingOverflow(
      by: 1000)
    return String(isTooLarge ? .max : nanoseconds)
  }
}
