/// Keepsake and its yardstick, measured by turns.
struct Comparison: Sendable {
  private(set) var values: [Double] = []
  private(set) var yardsticks: [Double] = []

  mutating func add(_ value: Double, against yardstick: Double) {
    values.append(value)
    yardsticks.append(yardstick)
  }

  var value: Double { values.median }
  var yardstick: Double { yardsticks.median }
  var ratio: Double { zip(values, yardsticks).map { $0 / $1 }.median }

  /// Measures both, by turns in either order, so that neither always runs on what the other left behind.
  static func rounds(
    _ count: Int, _ value: () async throws -> Double, against yardstick: () async throws -> Double
  ) async throws -> Comparison {
    var comparison = Comparison()
    for round in 0..<count {
      if round.isMultiple(of: 2) {
        let value = try await value()
        comparison.add(value, against: try await yardstick())
      } else {
        let yardstick = try await yardstick()
        comparison.add(try await value(), against: yardstick)
      }
    }
    return comparison
  }
}

extension [Double] {
  /// The value that half of them do not reach; 0 of none.
  var median: Double { percentile(0.5) }

  func percentile(_ share: Double) -> Double {
    isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }

  var sum: Double { reduce(0, +) }
}
