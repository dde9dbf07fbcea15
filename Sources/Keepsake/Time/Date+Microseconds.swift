#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Date {
  /// The time in microseconds since 1970, as the database holds it; times that don't fit are kept at the limit.
  package var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    guard value.isFinite else { return value > 0 ? .max : -.max }
    return Int64(exactly: value) ?? (value > 0 ? .max : -.max)
  }

  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
