/// A mark of a hub whose peers each have a feed: how far each feed was read.
package struct FeedMark: Sendable, Hashable {
  /// The number of the last entry that was seen of each peer, by the peer's name.
  package var seen: [String: Int64] = [:]

  /// Creates the mark of somebody who saw nothing.
  package init() {}

  /// Reads a mark; nil for one that no such hub gave.
  package init?(_ mark: HubMark) {
    for line in mark.text.split(separator: "\n") {
      guard let (name, number) = Self.pair(line) else { return nil }
      seen[name] = number
    }
  }

  /// The mark as the text that its reader keeps.
  package var mark: HubMark {
    HubMark(
      text: seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: "\n"))
  }

  /// Reads a name and a number above 0.
  static func pair(_ line: Substring) -> (String, Int64)? {
    let parts = line.split(separator: " ")
    guard parts.count == 2, let number = Int64(parts[1]), number > 0 else { return nil }
    return (String(parts[0]), number)
  }
}
