import Keepsake

/// A conversation as a product exports it: a tree, which branches where a person asked again or edited a message.
struct ConversationTree: Sendable {
  struct Node: Sendable {
    let id: String
    /// The index of the node that this node answers; nil where it answers none, or one that is missing.
    var parent: Int?
    /// The range of the node's message in the conversation's bytes; nil where the node has no message.
    let message: Range<Int>?
  }

  private(set) var facts = SourceFacts()
  /// The nodes in the order of the file.
  private(set) var nodes: [Node] = []
  private var indices: [String: Int] = [:]
  /// The index of the node that a person saw last.
  private let current: Int?

  /// - Parameters:
  ///   - nodes: The nodes in the order of the file. Of two nodes with one id, the first is kept.
  ///   - current: The id of the node that a person saw last; nil for the last node.
  ///   - facts: The id and title of the conversation. Without an id, the id of the first message is used.
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

  /// Cuts circles of parents, which a damaged export may have, at one of their nodes.
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

  /// The nodes from the conversation's beginning to a leaf.
  func path(to leaf: Int) -> [Node] {
    var path: [Node] = []
    var next: Int? = leaf
    while let index = next {
      path.append(nodes[index])
      next = nodes[index].parent
    }
    return path.reversed()
  }

  /// The last nodes of all branches, in the order of the file.
  var leaves: [Int] {
    let parents = Set(nodes.compactMap(\.parent))
    return nodes.indices.filter { !parents.contains($0) }
  }

  /// The leaf of the branch that becomes the session.
  ///
  /// This is the branch that a person saw last, unless the stored session goes on in another branch.
  /// - Parameter known: The ids of the nodes of the stored session, in their order; empty where none is stored.
  func mainLeaf(known: [String]) -> Int? {
    let last = known.last { indices[$0] != nil }.flatMap { indices[$0] }
    let wanted = current.map(newestLeaf)
    guard let last else { return wanted }
    if let wanted, path(to: wanted).contains(where: { $0.id == nodes[last].id }) { return wanted }
    return newestLeaf(below: last)
  }

  /// The leaf below a node that is reached by always following the child that was added last.
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
