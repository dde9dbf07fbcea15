/// The positions of a foreign file's entries in its session, as runs of entries that follow one another in both.
struct FilePlaces: Sendable, Equatable {
  private struct Run: Equatable {
    /// The index of its first entry in the file.
    let index: Int
    /// The position of its first entry in the session.
    let position: Int
    var count: Int
  }

  private var runs: [Run] = []
  /// The number of entries of the file so far.
  private(set) var count = 0

  init() {}

  /// Notes the entries of the pieces that a file begins with.
  init(_ pieces: some Sequence<SourcePiece.Outline>) {
    for piece in pieces {
      let count = piece.entries
      if let positions = piece.positions { add(self.count, at: positions.lowerBound, count: count) }
    }
  }

  /// Notes entries that follow those that were noted before. Entries in between are not in the session.
  mutating func add(_ index: Int, at position: Int, count: Int = 1) {
    if let last = runs.last, last.index + last.count == index,
      last.position + last.count == position
    {
      runs[runs.count - 1].count += count
    } else {
      runs.append(Run(index: index, position: position, count: count))
    }
    self.count = index + count
  }

  /// Returns the position of an entry of the file, or of the last entry before it that the session has; -1 if there is
  /// none.
  func position(of index: Int) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].index <= index { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return LivePath.beginning }
    let run = runs[low - 1]
    return run.position + min(index - run.index, run.count - 1)
  }
}
