import KeepsakeSQLite
import Keepsake

/// Writes rows of a log database as JSON, with the rows that they refer to inside of them.
struct LLMRowWriter {
  let db: ForeignDatabase
  private(set) var json = JSONWriter()
  /// The ids of the fragments whose contents were already written for this conversation.
  private var known: Set<Int64> = []

  init(_ db: ForeignDatabase) { self.db = db }

  /// Writes one object, and returns it as a line.
  mutating func line(_ body: (inout Self) throws -> Void) rethrows -> [UInt8] {
    json = JSONWriter()
    json.beginObject()
    try body(&self)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  typealias More = (inout Self, borrowing Statement) throws -> Void

  /// Writes the row with an id as an object under a key; nothing where there is no such row.
  mutating func one(
    _ key: StaticString, of table: String, where column: String = "id", is id: ForeignDatabase.Key,
    leavingOut omitted: Set<String> = []
  ) throws {
    var isFirst = true
    try db.rows(of: table, where: column, is: id) { row in
      guard isFirst else { return }
      isFirst = false
      json.key(key)
      json.beginObject()
      json.columns(row, leavingOut: omitted)
      json.endObject()
    }
  }

  /// Writes rows as an array under a key, each with what `more` adds; nothing where there are no rows.
  mutating func list(
    _ key: StaticString, of table: String, where column: String, is id: ForeignDatabase.Key,
    orderedBy order: String? = nil, with more: More = { _, _ in }
  ) throws {
    var isOpen = false
    try db.rows(of: table, where: column, is: id, orderedBy: order) { row in
      if !isOpen {
        json.key(key)
        json.beginArray()
        isOpen = true
      }
      json.beginObject()
      json.columns(row)
      try more(&self, row)
      json.endObject()
    }
    if isOpen { json.endArray() }
  }

  /// Writes an array under a key, whose elements the closure writes.
  mutating func array(_ key: StaticString, _ body: (inout Self) throws -> Void) rethrows {
    json.key(key)
    json.beginArray()
    try body(&self)
    json.endArray()
  }

  mutating func object(_ body: (inout Self) throws -> Void) rethrows {
    json.beginObject()
    try body(&self)
    json.endObject()
  }

  /// Writes the columns of a row as members of the open object.
  mutating func write(_ row: borrowing Statement) { json.columns(row) }
}

// MARK: - What rows refer to

extension LLMRowWriter {
  mutating func attachments(
    _ key: StaticString = "attachments", of table: String, where column: String,
    is id: ForeignDatabase.Key
  ) throws {
    try list(key, of: table, where: column, is: id, orderedBy: "order") { writer, row in
      guard let attachment = writer.db.text("attachment_id", of: table, row) else { return }
      try writer.one("attachment", of: "attachments", is: .text(attachment))
    }
  }

  /// Writes the fragments that rows of a table refer to.
  /// - Parameter areKnown: Whether the content of a fragment is left out where it was already written for the
  ///   conversation.
  mutating func fragments(
    _ key: StaticString = "fragments", of table: String, where column: String,
    is id: ForeignDatabase.Key, leavingOutKnown areKnown: Bool = false
  ) throws {
    try list(key, of: table, where: column, is: id, orderedBy: "order") { writer, row in
      guard let fragment = writer.db.integer("fragment_id", of: table, row) else { return }
      let isKnown = !writer.known.insert(fragment).inserted
      try writer.one(
        "fragment", of: "fragments", is: .integer(fragment),
        leavingOut: areKnown && isKnown ? ["content"] : [])
    }
  }

  mutating func schema(of table: String, _ row: borrowing Statement) throws {
    guard let schema = db.text("schema_id", of: table, row) else { return }
    try one("schema", of: "schemas", is: .text(schema))
  }

  mutating func tool(of table: String, _ row: borrowing Statement) throws {
    if let tool = db.integer("tool_id", of: table, row) {
      try one("tool", of: "tools", is: .integer(tool))
    }
    try instance(of: table, row)
  }

  mutating func instance(of table: String, _ row: borrowing Statement) throws {
    guard let instance = db.integer("instance_id", of: table, row) else { return }
    try one("instance", of: "tool_instances", is: .integer(instance))
  }
}
