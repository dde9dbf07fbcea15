import Keepsake

// Programs say what an answer took so far, over and over, or a sum for all answers.

extension Usage {
  static var counts: [WritableKeyPath<Usage, Int?>] {
    [\.input, \.cachedInput, \.output, \.reasoning]
  }

  /// What this count has more than an earlier one: less than nothing where it has less. A difference has no source.
  func minus(_ earlier: UsageSum) -> Usage {
    var difference = Usage()
    for (count, before) in zip(Self.counts, earlier.counts) {
      difference[keyPath: count] = self[keyPath: count].map { $0 - (before ?? 0) }
    }
    return difference
  }

  var countsNothing: Bool { Self.counts.allSatisfy { self[keyPath: $0] ?? 0 == 0 } }
}

/// What a program said so far that was taken, to be compared with what it says next.
struct UsageSum: Sendable, Codable {
  /// In the order of `Usage.counts`.
  fileprivate let counts: [Int?]

  init(_ usage: Usage = Usage()) { counts = Usage.counts.map { usage[keyPath: $0] } }
}
