extension [Double] {
  /// The value that half of them do not reach; 0 of none.
  package var median: Double { percentile(0.5) }

  package func percentile(_ share: Double) -> Double {
    isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }

  package var sum: Double { reduce(0, +) }
}
