/// The positions of a session's entries that the conversation goes through: all but those that were taken back.
///
/// It is found from the end: from an entry to the one before it, and from an event that goes back to where that says
/// that the conversation goes on. Events that go back are themselves on the path when it comes to them.
public struct LivePath: Sendable, Hashable {
  /// Where a conversation goes on that goes back to before its first entry.
  public static let beginning = -1

  /// The stretches of positions that are live, in order; none is empty, and none begins where another ends.
  public let stretches: [Range<Int>]
  /// Whether nothing was taken back.
  public let isWhole: Bool

  /// The path that leads to the last of some entries.
  ///
  /// Entries that were read from a session have positions. Those of any other list count from 0.
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

  /// - Parameters:
  ///   - positions: Where the entries stand.
  ///   - returns: The events that go back, in order, and after which position the conversation goes on from each. What
  ///     does not lead back takes nothing back.
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

  /// Whether the entry at a position is live.
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
