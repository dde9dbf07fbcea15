import Keepsake

/// A conversation that was read into memory, with the tree of its messages.
struct FoundConversation<C: ConversationTreeCodec>: Sendable {
  let tree: ConversationTree
  private let bytes: [UInt8]
  private let value: Range<Int>
  private let assets: AssetFolder?

  init(_ file: ForeignFile) throws {
    let (bytes, value) = try WholeValue.read(file)
    guard let object = JSONObject(value, in: bytes), let tree = C.tree(object) else {
      throw FormatError(
        .malformed,
        "Can't read '\(file.name)': a conversation in it has no messages. Nothing was taken over from it.",
        file: file.name)
    }
    self.bytes = bytes
    self.value = value
    self.tree = tree
    assets = file.assets
  }

  func reading(to leaf: Int?) -> any SourceReading {
    BranchReading<C>(
      bytes: bytes, value: value, path: leaf.map(tree.path) ?? [], facts: tree.facts,
      assets: assets)
  }

  /// The branches beside a main one, each with the keys of its entries, in the order of the file.
  ///
  /// A branch whose entries are all in another one is left out: its last messages become no entries.
  func branches(beside main: Int?) throws -> [(leaf: Int, ids: [String])] {
    let all = try tree.leaves.filter { $0 != main }.map { ($0, try nodeIDs(to: $0)) }
    let sets = all.map { Set($0.1) }
    return all.indices.filter { index in
      guard let last = all[index].1.last else { return false }
      // Most branches differ in their last message, which is found at once.
      return !sets.indices.contains { other in
        sets[other].contains(last) && sets[other].isSuperset(of: sets[index])
          && (other < index || sets[other].count > sets[index].count)
      }
    }.map { all[$0] }
  }

  /// The keys of the entries that a branch becomes.
  private func nodeIDs(to leaf: Int) throws -> [String] {
    var reading = reading(to: leaf)
    return try reading.next()?.entries.map { $0.entry.key ?? "" } ?? []
  }
}
