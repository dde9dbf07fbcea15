import Keepsake

/// A conversation as products export it: messages that answer one another, so that there are branches where a person asked
/// again or edited what they had said.
struct ConversationTree: Sendable {
  struct Node: Sendable {
    let id: String
    /// nil where it answers none, or one that is not there.
    var parent: Int?
    /// Where its message stands in the conversation's bytes; nil where it has none.
    let message: Range<Int>?
  }

  private(set) var facts = SourceFacts()
  /// In the order of the file.
  private(set) var nodes: [Node] = []
  private var indices: [String: Int] = [:]
  /// The node that a person saw last.
  private let current: Int?

  /// - Parameters:
  ///   - nodes: In the order of the file; of two with one id the first counts.
  ///   - current: The id of the one that a person saw last; nil for the last one.
  ///   - facts: What the export says of the conversation. One without an id has that of its first message.
  init(
    _ nodes: [(id: String, parent: String?, message: Range<Int>?)], current: String?,
    _ facts: SourceFacts
  ) {
    self.facts = facts
    if facts.id == nil { self.facts.id = nodes.first { $0.message != nil }?.id }
    for node in nodes where indices[node.id] == nil {
      indices[node.id] = self.nodes.count
      self.nodes.append(Node(id: node.id, parent: nil, message: node.message))
    }
    for node in nodes {
      guard let index = indices[node.id], let id = node.parent, let parent = indices[id],
        self.nodes[index].parent == nil
      else { continue }
      self.nodes[index].parent = parent
    }
    self.current = self.nodes.lastIndex { $0.id == current } ?? self.nodes.indices.last
    cutCircles()
  }

  /// What answers itself answers nothing.
  private mutating func cutCircles() {
    var isSound = [Bool](repeating: false, count: nodes.count)
    for start in nodes.indices {
      var way: [Int] = []
      var seen: Set<Int> = []
      var next: Int? = start
      while let index = next, !isSound[index] {
        guard seen.insert(index).inserted else {
          nodes[index].parent = nil
          break
        }
        way.append(index)
        next = nodes[index].parent
      }
      for index in way { isSound[index] = true }
    }
  }

  /// The nodes from the beginning of a conversation to one of them.
  func path(to leaf: Int) -> [Node] {
    var path: [Node] = []
    var next: Int? = leaf
    while let index = next {
      path.append(nodes[index])
      next = nodes[index].parent
    }
    return path.reversed()
  }

  /// The ends of all branches, in the order of the file.
  var leaves: [Int] {
    let parents = Set(nodes.compactMap(\.parent))
    return nodes.indices.filter { !parents.contains($0) }
  }

  /// The end of the branch that becomes the session: the one that a person saw last, unless the session is there already
  /// and goes on with another.
  /// - Parameter known: The ids of the nodes of the session that is there, in their order.
  func mainLeaf(known: [String]) -> Int? {
    let last = known.last { indices[$0] != nil }.flatMap { indices[$0] }
    let wanted = current.map(newestLeaf)
    guard let last else { return wanted }
    if let wanted, path(to: wanted).contains(where: { $0.id == nodes[last].id }) { return wanted }
    return newestLeaf(below: last)
  }

  /// The end of the branch behind a node that was added last.
  private func newestLeaf(below node: Int) -> Int {
    var newestChild: [Int: Int] = [:]
    for index in nodes.indices {
      if let parent = nodes[index].parent { newestChild[parent] = index }
    }
    var leaf = node
    while let child = newestChild[leaf] { leaf = child }
    return leaf
  }
}
