/// One measured figure and the goal that it is held to.
package struct Row: Codable, Sendable {
  package var name: String
  package var value: Double
  /// The figure of the yardstick, in the same unit and from the same run; nil where the goal is absolute.
  package var yardstick: Double?
  /// The median of the rounds' ratios: what disturbs a round disturbs both.
  package var ratio: Double?
  package var goal: String
  package var met: Bool
  package var unit: String

  /// A figure with a yardstick.
  package init(_ name: String, _ comparison: Comparison, unit: String, goal: Goal) {
    self.init(
      name, value: comparison.value, yardstick: comparison.yardstick, ratio: comparison.ratio,
      unit: unit, goal: goal)
  }

  package init(
    _ name: String, value: Double, yardstick: Double? = nil, ratio: Double? = nil, unit: String,
    goal: Goal
  ) {
    self.name = name
    self.value = value
    self.yardstick = yardstick
    self.ratio = ratio
    self.goal = goal.text(unit: unit)
    met = goal.isMet(value: value, ratio: ratio)
    self.unit = unit
  }
}

extension Row {
  /// Returns one row for each name: the row that has the median ratio of several passes.
  package static func medians(of passes: [[Row]]) -> [Row] {
    passes[0].indices.map { index in
      let rows = passes.map { $0[index] }.sorted { ($0.ratio ?? $0.value) < ($1.ratio ?? $1.value) }
      return rows[rows.count / 2]
    }
  }

  /// All keys are there in each row: what a row doesn't have is null.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(value, forKey: .value)
    try container.encode(yardstick, forKey: .yardstick)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(goal, forKey: .goal)
    try container.encode(met, forKey: .met)
    try container.encode(unit, forKey: .unit)
  }
}
