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

  /// The keys of the entries that a branch becomes.
  func nodeIDs(to leaf: Int) throws -> [String] {
    var reading = reading(to: leaf)
    return try reading.next()?.entries.map { $0.entry.key ?? "" } ?? []
  }
}
