import Keepsake

/// Counts what each answer took: rollouts say the sum so far, over and over.
struct CodexUsage {
  private var total: Usage?
  private var isWithoutBeginning = false

  private static var counts: [WritableKeyPath<Usage, Int?>] {
    [\.input, \.cachedInput, \.output, \.reasoning]
  }

  /// The file continues another one, whose tokens are in its sums.
  mutating func beginsElsewhere() { isWithoutBeginning = true }

  /// What came to the sum since it was last told; nil where nothing did.
  mutating func added(by info: JSONObject) -> Usage? {
    guard let json = info.json("total_token_usage"), json.kind == .object else { return nil }
    let sum = Usage(reported: json)
    let last = info.json("last_token_usage").map(Usage.init(reported:))
    var added = Usage()
    for count in Self.counts {
      added[keyPath: count] = sum[keyPath: count].map { $0 - (total?[keyPath: count] ?? 0) }
    }
    let hasBegunAnew = Self.counts.contains { (added[keyPath: $0] ?? 0) < 0 }
    if hasBegunAnew || total == nil && isWithoutBeginning {
      for count in Self.counts { added[keyPath: count] = (last ?? sum)[keyPath: count] }
    }
    total = sum
    guard Self.counts.contains(where: { (added[keyPath: $0] ?? 0) != 0 }) else { return nil }
    let isLast = Self.counts.allSatisfy { last?[keyPath: $0] == added[keyPath: $0] }
    added.source = isLast ? last?.source : sum.source
    return added
  }
}
