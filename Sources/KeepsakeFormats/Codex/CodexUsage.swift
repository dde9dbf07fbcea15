import Keepsake

/// Counts what each answer took: rollouts say the sum so far, over and over.
struct CodexUsage: Sendable, Codable {
  private var total: UsageSum?
  private var isWithoutBeginning = false

  /// The file continues another one, whose tokens are in its sums.
  mutating func beginsElsewhere() { isWithoutBeginning = true }

  /// What came to the sum since it was last told; nil where nothing did.
  mutating func added(by info: JSONObject) -> Usage? {
    guard let json = info.json("total_token_usage"), json.kind == .object else { return nil }
    let sum = Usage(reported: json)
    let last = info.json("last_token_usage").map(Usage.init(reported:))
    var added = sum.minus(total ?? UsageSum())
    let hasBegunAnew = Usage.counts.contains { (added[keyPath: $0] ?? 0) < 0 }
    if hasBegunAnew || total == nil && isWithoutBeginning {
      added = (last ?? sum).minus(UsageSum())
    }
    total = UsageSum(sum)
    if added.countsNothing { return nil }
    let isLast = Usage.counts.allSatisfy { last?[keyPath: $0] == added[keyPath: $0] }
    added.source = isLast ? last?.source : sum.source
    return added
  }
}
