import KeepsakeSQLite
import Keepsake

/// The messages of a session, each with what is said of its place; then the session itself.
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
      // One that is gone since its id was read is no message any more.
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

  /// Writes the rows of some keys as a member that is an array; nothing where there are none.
  /// - Returns: Whether there were any.
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

  /// Writes a row; what is JSON in it stands there as such, on the same line.
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

  /// In JSON a line break stands between values alone, where a space means the same.
  private static func onOneLine(_ text: [UInt8]) -> [UInt8] {
    text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }
}
