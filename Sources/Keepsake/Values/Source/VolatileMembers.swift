/// The volatile members of a format, as the tree that their paths make.
struct VolatileMembers: Sendable {
  private var children: [(key: [UInt8], members: VolatileMembers)] = []
  private(set) var isVolatile = false
  /// The keys and the texts of the members beside which it is volatile.
  private(set) var conditions: [(key: [UInt8], text: [UInt8])] = []

  init(_ members: [VolatileMember] = []) {
    for member in members { add(member.path[...], member.condition) }
  }

  /// Tells whether one of the children is volatile only beside another member.
  private(set) var hasConditions = false

  private mutating func add(_ path: ArraySlice<String>, _ condition: (key: String, text: String)?) {
    if let key = path.first {
      let bytes = Array(key.utf8)
      let index = children.firstIndex { $0.key == bytes } ?? children.endIndex
      if index == children.endIndex { children.append((bytes, VolatileMembers())) }
      children[index].members.add(path.dropFirst(), condition)
      if path.count == 1, condition != nil { hasConditions = true }
    } else if let condition {
      conditions.append((Array(condition.key.utf8), Array(condition.text.utf8)))
    } else {
      isVolatile = true
    }
  }

  var isEmpty: Bool { children.isEmpty }

  /// Returns the volatile members in the member with a key.
  subscript(key: ArraySlice<UInt8>) -> VolatileMembers? {
    for child in children where child.key.count == key.count {
      if child.key[...] == key { return child.members }
    }
    return nil
  }

  /// The volatile members in the elements of an array.
  var inElements: VolatileMembers? { self[Self.anyElement[...]] }

  private static let anyElement = Array("*".utf8)
}
