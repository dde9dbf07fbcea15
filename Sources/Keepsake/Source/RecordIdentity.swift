import KeepsakeFiles

/// What tells a record of a foreign file from others, so that it is known again in a file that was written anew.
///
/// Records of JSON are compared as values: encoders put members in any order, spaces where they like, and escape more or
/// less, and none of that says anything. Everything else in a record counts, unless its codec declares that the foreign
/// program writes it anew with every file.
package struct RecordIdentity: Sendable {
  /// Nil for records that are no JSON. Kept, so that many records cost the allocations of one.
  private var json: JSONDigest?

  /// Of records that are no JSON: their bytes, without the white space around them.
  package static let bytes = RecordIdentity(json: nil)

  /// Of records that are one JSON value each.
  /// - Parameter volatile: What is written anew with every file, and so does not count.
  package static func json(leavingOut volatile: [VolatileMember] = []) -> RecordIdentity {
    RecordIdentity(json: JSONDigest(leavingOut: VolatileMembers(volatile)))
  }

  /// The digest of a record, from its stretch of the file: separators before it don't count.
  mutating func digest(ofRecordIn bytes: [UInt8]) -> SHA256Digest {
    if let found = json?.record(in: bytes.span.bytes) { return found }
    // What is no JSON was kept as it is, and is compared so.
    return SHA256.digest(of: bytes.span.bytes.extracting(Self.trimmed(bytes)))
  }

  private static func trimmed(_ bytes: [UInt8]) -> Range<Int> {
    var range = bytes.indices
    while let first = range.first, isSpace(bytes[first]) { range = (first + 1)..<range.upperBound }
    while let last = range.last, isSpace(bytes[last]) { range = range.lowerBound..<last }
    return range
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}

/// A member of a JSON record that the foreign program writes anew with every file, so that it does not tell one record
/// from another.
package struct VolatileMember: Sendable {
  /// The keys that lead to it from the record's top; `*` is any element of an array.
  let path: [String]
  /// Where it is volatile only beside another member that is a certain text: that member's key, and the text.
  let condition: (key: String, text: String)?

  package init(_ path: String...) {
    self.path = path
    condition = nil
  }

  /// A member that is volatile only beside another one of its object that is a certain text.
  package init(_ path: String..., where key: String, is text: String) {
    self.path = path
    condition = (key, text)
  }
}

/// The volatile members of a format, as the tree that their paths make.
struct VolatileMembers: Sendable {
  private var children: [(key: [UInt8], members: VolatileMembers)] = []
  private(set) var isVolatile = false
  /// Beside which members, by their keys, and which texts of them it is volatile.
  private(set) var conditions: [(key: [UInt8], text: [UInt8])] = []

  init(_ members: [VolatileMember] = []) {
    for member in members { add(member.path[...], member.condition) }
  }

  /// Whether one of the members right here is volatile only beside another.
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

  /// What is volatile in the member with a key.
  subscript(key: ArraySlice<UInt8>) -> VolatileMembers? {
    for child in children where child.key.count == key.count {
      if child.key[...] == key { return child.members }
    }
    return nil
  }

  /// What is volatile in the elements of an array.
  var inElements: VolatileMembers? { self[Self.anyElement[...]] }

  private static let anyElement = Array("*".utf8)
}
