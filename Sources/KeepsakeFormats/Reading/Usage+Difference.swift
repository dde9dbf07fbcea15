import Keepsake

// Programs say what an answer took so far, over and over, or a sum for all answers.

extension Usage {
  static var counts: [WritableKeyPath<Usage, Int?>] {
    [\.input, \.cachedInput, \.output, \.reasoning]
  }

  /// What this count has more than an earlier one: less than nothing where it has less. A difference has no source.
  func minus(_ earlier: Usage) -> Usage {
    var difference = Usage()
    for count in Self.counts {
      difference[keyPath: count] = self[keyPath: count].map { $0 - (earlier[keyPath: count] ?? 0) }
    }
    return difference
  }

  var countsNothing: Bool { Self.counts.allSatisfy { self[keyPath: $0] ?? 0 == 0 } }
}
