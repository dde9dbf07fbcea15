/// The positions of the entries that are part of the present conversation, without those that were taken back.
///
/// The path is found from the end: it goes from each entry to the one before, and from an event that goes back to the position
/// where the conversation goes on. Such an event is itself on the path.
public struct LivePath: Sendable, Hashable {
  /// The position of an event that goes back to before the first entry.
  public static let beginning = -1

  /// The ranges of live positions, in order; none is empty, and none begins where another ends.
  public let stretches: [Range<Int>]
  /// Tells whether nothing was taken back.
  public let isWhole: Bool

  /// Finds the path that leads to the last entry of a list.
  ///
  /// - Parameter entries: The entries. Those read from a session have positions; in other lists positions count from 0.
  public init(of entries: some BidirectionalCollection<Entry>) {
    var returns: [(position: Int, target: Int)] = []
    var count = 0
    for entry in entries {
      if let target = entry.continuesAfter { returns.append((entry.position ?? count, target)) }
      count += 1
    }
    let start = entries.first?.position ?? 0
    let last = entries.last?.position ?? start + count - 1
    self.init(start..<max(start, last + 1), returns: returns)
  }

  /// Finds the path from the events that go back.
  ///
  /// - Parameters:
  ///   - positions: The positions of all entries.
  ///   - returns: The events that go back, in order, each with the position after which the conversation goes on. A target at
  ///     or after its event has no effect.
  init(_ positions: Range<Int>, returns: [(position: Int, target: Int)]) {
    var stretches: [Range<Int>] = []
    var end = positions.upperBound
    for (position, target) in returns.reversed() where position < end {
      let next = min(max(target + 1, positions.lowerBound), position)
      if next == position { continue }
      stretches.append(position..<end)
      end = next
      if end == positions.lowerBound { break }
    }
    if positions.lowerBound < end { stretches.append(positions.lowerBound..<end) }
    self.stretches = stretches.reversed()
    isWhole = stretches.isEmpty || stretches == [positions]
  }

  /// Returns whether the entry at a position is live. Takes O(log n) for n ranges.
  public func contains(_ position: Int) -> Bool {
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].upperBound <= position { low = middle + 1 } else { high = middle }
    }
    return low < stretches.count && stretches[low].contains(position)
  }
}
