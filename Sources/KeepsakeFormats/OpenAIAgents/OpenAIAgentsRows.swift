import KeepsakeSQLite
import Keepsake

/// Gives the messages of a session as one line of JSON each, with their places, and at last the session itself.
struct OpenAIAgentsRows: DatabaseRows {
  var title: String? { nil }
  var remarks: [String] { [] }
  private let session: OpenAIAgentsSession
  private let db: ForeignDatabase
  private var index = 0

  init(_ session: OpenAIAgentsSession, in db: ForeignDatabase) {
    self.session = session
    self.db = db
  }

  mutating func next() throws -> [UInt8]? {
    while index < session.messages.count {
      defer { index += 1 }
      // The program that owns the database may have deleted the message since its id was read.
      if let line = try message(session.messages[index]) { return line }
    }
    guard index == session.messages.count else { return nil }
    index += 1
    var json = JSONWriter()
    json.beginObject()
    let key = ForeignDatabase.Key.text(session.id)
    _ = try list("session", of: "agent_sessions", where: "session_id", is: [key], to: &json)
    _ = try list("usage", of: "turn_usage", where: "session_id", is: [key], to: &json)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private func message(_ message: OpenAIAgentsSession.Message) throws -> [UInt8]? {
    var json = JSONWriter()
    json.beginObject()
    guard
      try list("message", of: "agent_messages", where: "id", is: [.integer(message.id)], to: &json)
    else { return nil }
    let places = message.place.map { [ForeignDatabase.Key.integer($0)] } ?? []
    _ = try list("structure", of: "message_structure", where: "id", is: places, to: &json)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Writes the rows with the given keys as an array under a name; nothing where there are none.
  /// - Returns: Whether there were any rows.
  private func list(
    _ name: StaticString, of table: String, where column: String, is keys: [ForeignDatabase.Key],
    to json: inout JSONWriter
  ) throws -> Bool {
    var isOpen = false
    for key in keys {
      try db.rows(of: table, where: column, is: key) { row in
        if !isOpen {
          json.key(name)
          json.beginArray()
          isOpen = true
        }
        write(row, of: table, to: &json)
      }
    }
    if isOpen { json.endArray() }
    return isOpen
  }

  private static let item = "message_data"

  /// Writes a row as an object, with the JSON in it as JSON and on the same line.
  private func write(_ row: borrowing Statement, of table: String, to json: inout JSONWriter) {
    let column = db.tables[table].firstIndex(of: Self.item)
    let item = column.flatMap { column in
      row.kind(column) == .text ? try? JSON(validating: Self.onOneLine(row.bytes(column))) : nil
    }
    json.beginObject()
    json.columns(row, leavingOut: item == nil ? [] : [Self.item])
    if let item {
      json.key("message_data")
      json.raw(item)
    }
    json.endObject()
  }

  /// Replaces line breaks with spaces, which mean the same in JSON, where they stand only between values.
  private static func onOneLine(_ text: [UInt8]) -> [UInt8] {
    text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }
}
