import Keepsake

/// Computes the tokens of each answer from the running sums that a rollout repeats.
struct CodexUsage: Sendable, Codable {
  private var total: UsageSum?
  private var isWithoutBeginning = false

  /// Notes that the rollout continues another one, whose tokens are part of the sums.
  mutating func beginsElsewhere() { isWithoutBeginning = true }

  /// The tokens that were added since the last sum; nil where none were.
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
