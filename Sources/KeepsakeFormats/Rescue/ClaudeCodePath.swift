import KeepsakeFiles
import Keepsake

/// The path through a session's lines from the first to the last, which is sent when the conversation goes on.
struct ClaudeCodePath {
  /// A line on the path whose parent is missing, and the line that should be its parent.
  struct Break {
    let line: Int
    let parent: Int
  }

  /// The lines on the path, from the first on.
  let lines: [Int]
  let members: Set<Int>
  let breaks: [Break]
  /// The index of each line in the order of the file.
  let rank: [Int: Int]
  /// The lines that follow a line, by its uuid.
  let children: [String: [Int]]

  /// - Parameters:
  ///   - order: The lines in the order of the file.
  ///   - facts: The facts in each line; nil for a line that is no object.
  init(_ order: [Int], _ facts: [ClaudeCodeLine?]) {
    var places: [String: Int] = [:]
    var rank: [Int: Int] = [:]
    var children: [String: [Int]] = [:]
    for (index, line) in order.enumerated() {
      rank[line] = index
      guard let fact = facts[line], fact.isInChain, let uuid = fact.uuid else { continue }
      places[uuid] = line
      if let parent = fact.parent { children[parent, default: []].append(line) }
    }
    var path: [Int] = []
    var breaks: [Break] = []
    var seen: Set<Int> = []
    var next = order.last { facts[$0]?.mayBeLast ?? false }
    while let line = next {
      path.append(line)
      seen.insert(line)
      guard let parent = facts[line]?.parent else { break }
      if let before = places[parent], !seen.contains(before) {
        next = before
        continue
      }
      // The nearest earlier line takes the place of a missing parent. A first line has none, and nothing is missing.
      next = order[..<(rank[line] ?? 0)].last {
        !seen.contains($0) && facts[$0]?.isInChain ?? false
      }
      if let found = next { breaks.append(Break(line: line, parent: found)) }
    }
    lines = path.reversed()
    members = seen
    self.breaks = breaks
    self.rank = rank
    self.children = children
  }
}
