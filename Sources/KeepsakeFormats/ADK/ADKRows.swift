import KeepsakeSQLite
import Keepsake

/// Gives the events of a session of ADK as one line of JSON each, and at last the session itself.
struct ADKRows: DatabaseRows {
  var title: String? { nil }
  var remarks: [String] { [] }
  private let conversation: ADKConversation
  private let db: ForeignDatabase
  private var index = 0

  init(_ conversation: ADKConversation, in db: ForeignDatabase) {
    self.conversation = conversation
    self.db = db
  }

  mutating func next() throws -> [UInt8]? {
    while index < conversation.events.count {
      defer { index += 1 }
      // The program that owns the database may have deleted the event since its id was read.
      if let line = try line("event", of: "events", "session_id", id: conversation.events[index]) {
        return line
      }
    }
    guard index == conversation.events.count else { return nil }
    index += 1
    return try line("session", of: "sessions", "id", id: conversation.session.id)
  }

  /// Returns the row with an id as a JSON object under a name; nil where no such row belongs to this session.
  private func line(
    _ name: StaticString, of table: String, _ session: String, id: String
  ) throws -> [UInt8]? {
    var line: [UInt8]?
    try db.rows(of: table, where: "id", is: .text(id)) { row in
      guard line == nil, db.text("app_name", of: table, row) == conversation.session.app,
        db.text("user_id", of: table, row) == conversation.session.user,
        db.text(session, of: table, row) == conversation.session.id
      else { return }
      var json = JSONWriter()
      json.beginObject()
      json.key(name)
      write(row, of: table, to: &json)
      json.endObject()
      line = json.bytes + [UInt8(ascii: "\n")]
    }
    return line
  }

  /// The columns that hold JSON. Newer databases keep a whole event in `event_data`, older ones keep parts of it in
  /// the others.
  private static let columns: [StaticString] = ["event_data", "content", "usage_metadata"]

  private func write(_ row: borrowing Statement, of table: String, to json: inout JSONWriter) {
    var found: [(StaticString, JSON)] = []
    for column in Self.columns {
      guard let text = db.text("\(column)", of: table, row),
        let value = try? JSON(
          validating: text.replacing("\n", with: " ").replacing("\r", with: " "))
      else { continue }
      found.append((column, value))
    }
    json.beginObject()
    json.columns(row, leavingOut: Set(found.map { "\($0.0)" }))
    for (column, value) in found {
      json.key(column)
      json.raw(value)
    }
    json.endObject()
  }
}
