import KeepsakeFiles

/// Computes a digest that JSON values share which mean the same, however they were written.
///
/// White space, the order of an object's members, escapes in strings and the spelling of numbers don't count. The order of
/// members with the same key does. A value becomes canonical bytes, which are replaced by their digest as soon as they are
/// long, so that the cost is that of reading the value once, however deep it is.
struct JSONDigest: Sendable {
  private let volatile: VolatileMembers
  private var output: [UInt8] = []
  private var open: [Bracket] = []
  /// The members of all objects that are open, the outermost object first.
  private var members: [Member] = []
  private var scratch: [UInt8] = []

  /// An array or object that is not closed yet.
  private struct Bracket: Sendable {
    let isObject: Bool
    /// The place in the output where its canonical bytes begin.
    let start: Int
    /// The index of an object's first member.
    let first: Int
    let volatile: VolatileMembers?
    /// The number of an array's elements so far.
    var count: Int64 = 0
  }

  /// The places in the output of a member's canonical bytes: of its key, behind which its length stands, and of its value.
  private struct Member: Sendable {
    let key: Range<Int>
    var end = 0

    var value: Range<Int> { (key.upperBound + MemoryLayout<Int64>.size)..<end }
  }

  /// The length above which canonical bytes are replaced by their digest.
  private static let longest = 256

  init(leavingOut volatile: VolatileMembers) { self.volatile = volatile }

  /// Returns the digest of the only value in a stretch of a file, without the separators before it; nil if the stretch holds
  /// anything else.
  mutating func record(in bytes: RawSpan) -> SHA256Digest? {
    output.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    var reader = JSONReader(bytes)
    while reader.position < bytes.byteCount, Self.separates(reader.byte(at: reader.position)) {
      reader.position += 1
    }
    do {
      try value(&reader)
      try reader.end()
    } catch { return nil }
    return SHA256.digest(of: output)
  }

  private static func separates(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == UInt8(ascii: ",")
  }
}

// MARK: - Structure

extension JSONDigest {
  /// Writes the canonical bytes of a value, without recursion, because a value may nest deeper than a stack allows.
  private mutating func value(_ reader: inout JSONReader) throws(JSONError) {
    repeat {
      let kind = try reader.nextKind()
      switch kind {
      case .object:
        try reader.beginObject()
        begin(isObject: true)
      case .array:
        try reader.beginArray()
        begin(isObject: false)
      case .string: try string(&reader)
      case .number: try number(&reader)
      case .bool:
        let isTrue = try reader.bool()
        output.append(isTrue ? UInt8(ascii: "t") : UInt8(ascii: "f"))
      case .null:
        try reader.skipValue()
        output.append(UInt8(ascii: "z"))
      }
    } while try hasMore(&reader)
  }

  private mutating func begin(isObject: Bool) {
    var inside: VolatileMembers? = volatile
    if let bracket = open.last {
      inside = bracket.volatile.flatMap { tree in
        bracket.isObject ? members.last.flatMap { tree[output[$0.key]] } : tree.inElements
      }
    }
    // Most values are in no part of the tree, and have nothing to look up.
    if inside?.isEmpty == true { inside = nil }
    open.append(
      Bracket(
        isObject: isObject, start: output.count, first: members.count, volatile: inside))
  }

  /// Closes the brackets that end, and moves to the next value; returns false if all are closed.
  private mutating func hasMore(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    while let top = open.indices.last {
      if open[top].isObject {
        if members.count > open[top].first { members[members.count - 1].end = output.count }
        if try nextMember(&reader, of: open[top].volatile) { return true }
        endObject(open[top])
      } else {
        if try reader.nextElement() {
          open[top].count += 1
          return true
        }
        end(open[top].start, UInt8(ascii: "a"), count: open[top].count)
      }
      open.removeLast()
    }
    return false
  }

  /// Moves to the next member that counts, and writes its key.
  private mutating func nextMember(_ reader: inout JSONReader, of volatile: VolatileMembers?)
    throws(JSONError) -> Bool
  {
    while try reader.nextKey() {
      let start = output.count
      let key = reader.currentKey
      if key.hasEscape {
        output += reader.keyBytes()
      } else {
        output.append(copying: reader.bytes.extracting(key.start..<key.end))
      }
      if let volatile, volatile[output[start...]]?.isVolatile == true {
        output.removeLast(output.count - start)
        try reader.skipValue()
        continue
      }
      members.append(Member(key: start..<output.count))
      output.append(bigEndian: Int64(output.count - start))
      return true
    }
    return false
  }
}

// MARK: - Canonical bytes

extension JSONDigest {
  private mutating func endObject(_ object: Bracket) {
    let isWhole = !leaveOutVolatile(of: object)
    let isSorted = sort(from: object.first)
    let count = members.count - object.first
    if !isWhole || !isSorted {
      scratch.removeAll(keepingCapacity: true)
      for index in object.first..<members.count {
        scratch += output[members[index].key.lowerBound..<members[index].end]
      }
      output.removeLast(output.count - object.start)
      output += scratch
    }
    members.removeLast(count)
    end(object.start, UInt8(ascii: "o"), count: Int64(count))
  }

  /// Leaves out the members of an object that are volatile beside others, and returns false if there are none.
  private mutating func leaveOutVolatile(of object: Bracket) -> Bool {
    guard let tree = object.volatile, tree.hasConditions else { return false }
    let all = members[object.first...]
    let counted = all.filter { member in
      let conditions = tree[output[member.key]]?.conditions ?? []
      return !conditions.contains { says($0.key, $0.text, in: all) }
    }
    if counted.count == all.count { return false }
    members.replaceSubrange(object.first..., with: counted)
    return true
  }

  /// Orders an object's members by their keys, and returns true if they were in order. Members with the same key stay in
  /// their order.
  private mutating func sort(from first: Int) -> Bool {
    var isSorted = true
    for index in members.indices.dropFirst(first + 1)
    where precedes(members[index], members[index - 1]) {
      isSorted = false
      break
    }
    if isSorted { return true }
    var sorted = Array(members[first...])
    sorted.sort { precedes($0, $1) || !precedes($1, $0) && $0.end < $1.end }
    members.replaceSubrange(first..., with: sorted)
    return false
  }

  /// Compares two members by the bytes of their keys.
  private func precedes(_ one: Member, _ other: Member) -> Bool {
    for index in 0..<min(one.key.count, other.key.count) {
      let (left, right) = (
        output[one.key.lowerBound + index], output[other.key.lowerBound + index]
      )
      if left != right { return left < right }
    }
    return one.key.count < other.key.count
  }

  /// Tells whether the first member with a key is a certain text.
  private func says(_ key: [UInt8], _ text: [UInt8], in members: ArraySlice<Member>) -> Bool {
    guard let member = members.first(where: { output[$0.key].elementsEqual(key) }) else {
      return false
    }
    var wanted = JSONDigest(leavingOut: VolatileMembers())
    wanted.write(text.span.bytes)
    return output[member.value].elementsEqual(wanted.output)
  }

  /// Closes the value that began at an offset.
  ///
  /// Lengths and kinds stand behind the values. The bytes can be read in one way only, from their end, so no two values have
  /// the same bytes.
  private mutating func end(_ start: Int, _ kind: UInt8, count: Int64) {
    output.append(bigEndian: count)
    shorten(from: start)
    output.append(kind)
  }

  /// Replaces long bytes by their digest.
  private mutating func shorten(from start: Int) {
    let count = output.count - start
    if count > Self.longest {
      let digest = SHA256.digest(of: output.span.bytes.extracting(start..<output.count))
      output.removeLast(count)
      digest.withBytes { output.append(copying: $0) }
    }
    output.append(bigEndian: Int64(count))
  }

  private mutating func string(_ reader: inout JSONReader) throws(JSONError) {
    let extent = try reader.string(at: reader.position)
    reader.position = extent.end + 1
    if extent.hasEscape {
      write(reader.ownedBytes(extent).span.bytes)
    } else {
      write(reader.bytes.extracting(extent.start..<extent.end))
    }
  }

  private mutating func write(_ text: RawSpan) {
    if text.byteCount > Self.longest {
      SHA256.digest(of: text).withBytes { output.append(copying: $0) }
    } else {
      output.append(copying: text)
    }
    output.append(bigEndian: Int64(text.byteCount))
    output.append(UInt8(ascii: "s"))
  }

  private mutating func number(_ reader: inout JSONReader) throws(JSONError) {
    let range = try reader.number()
    let start = output.count
    if let value = reader.plainInt(range) {
      output.append(bigEndian: value)
      output.append(UInt8(ascii: "i"))
    } else if let value = JSONDecimal(reader.bytes, range) {
      if let integer = value.int64 {
        output.append(bigEndian: integer)
        output.append(UInt8(ascii: "i"))
        return
      }
      output += value.digits
      output.append(bigEndian: Int64(value.exponent))
      output.append(value.isNegative ? 1 : 0)
      shorten(from: start)
      output.append(UInt8(ascii: "d"))
    } else {
      output.append(copying: reader.bytes.extracting(range))
      shorten(from: start)
      output.append(UInt8(ascii: "n"))
    }
  }
}
