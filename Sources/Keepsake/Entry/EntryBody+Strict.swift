extension EntryBody {
  /// Refuses a body in which a member comes twice.
  ///
  /// None that we write is so. One that comes from elsewhere may be, and another reader may take the other member: then
  /// two programs would read two things out of one body.
  static func requireEachMemberOnce(_ bytes: RawSpan) throws {
    var reader = JSONReader(bytes)
    try requireEachMemberOnce(&reader, depth: 0)
  }

  /// The members of an object; of a body also those of its segments and calls.
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
