/// Keepsake and its yardstick, measured by turns.
package struct Comparison: Sendable {
  package private(set) var values: [Double] = []
  package private(set) var yardsticks: [Double] = []

  package init() {}

  package mutating func add(_ value: Double, against yardstick: Double) {
    values.append(value)
    yardsticks.append(yardstick)
  }

  package var value: Double { values.median }
  package var yardstick: Double { yardsticks.median }
  package var ratio: Double { zip(values, yardsticks).map { $0 / $1 }.median }

  /// Measures both, by turns in either order, so that neither always runs on what the other left behind.
  package static func rounds(
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
