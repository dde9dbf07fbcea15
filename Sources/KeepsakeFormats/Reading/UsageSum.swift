import Keepsake

/// The counts of a usage that was taken from a program's report, for comparison with the next report.
struct UsageSum: Sendable, Codable {
  /// The counts in the order of `Usage.counts`.
  let counts: [Int?]

  init(_ usage: Usage = Usage()) { counts = Usage.counts.map { usage[keyPath: $0] } }
}
