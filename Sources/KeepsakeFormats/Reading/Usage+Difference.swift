import Keepsake

// Some programs report an answer's usage so far again and again, and others the sum of all answers.

extension Usage {
  static var counts: [WritableKeyPath<Usage, Int?>] {
    [\.input, \.cachedInput, \.output, \.reasoning]
  }

  /// The difference to an earlier count. It is negative where this count is smaller, and has no source.
  func minus(_ earlier: UsageSum) -> Usage {
    var difference = Usage()
    for (count, before) in zip(Self.counts, earlier.counts) {
      difference[keyPath: count] = self[keyPath: count].map { $0 - (before ?? 0) }
    }
    return difference
  }

  var countsNothing: Bool { Self.counts.allSatisfy { self[keyPath: $0] ?? 0 == 0 } }
}
