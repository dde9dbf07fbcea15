extension EntryBody {
  /// Fills an entry from a body that another program may have written, and throws if a member occurs twice in it.
  ///
  /// Bodies that this library writes never have a member twice. In a foreign body another program might read the other member,
  /// so that two programs would read different content.
  static func decodeStrictly(_ bytes: RawSpan, into entry: inout Entry) throws {
    var scratch: [UInt8] = []
    // The bytes around the texts of such a body are those that this library writes.
    if let segments = plainSegments(bytes, scratch: &scratch) {
      entry.segments = segments
      return
    }
    try decode(bytes, into: &entry)
    try requireEachMemberOnce(bytes)
  }

  /// Throws if a member occurs twice in a body.
  private static func requireEachMemberOnce(_ bytes: RawSpan) throws {
    var reader = JSONReader(bytes)
    try requireEachMemberOnce(&reader, depth: 0)
  }

  /// Checks the members of an object, and for a body also the members of its segments and tool calls.
  private static func requireEachMemberOnce(_ reader: inout JSONReader, depth: Int) throws {
    var seen: Set<[UInt8]> = []
    try reader.beginObject()
    while try reader.nextKey() {
      let key = reader.key()
      guard seen.insert(Array(key.utf8)).inserted else {
        throw KeepsakeError(.damaged, "its '\(key)' comes twice")
      }
      if depth == 0, key == "segments" || key == "toolCalls" {
        try reader.beginArray()
        while try reader.nextElement() { try requireEachMemberOnce(&reader, depth: depth + 1) }
      } else {
        try reader.skipValue()
      }
    }
  }
}
