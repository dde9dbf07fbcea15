import KeepsakeSQLite
import Keepsake

/// Lists the sessions in a database of ADK, with the ids of each session's events.
struct ADKContents: DatabaseContents {
  let file: ForeignFile
  private let tables: ForeignTables
  private(set) var conversations: [ADKConversation] = []

  init(_ file: ForeignFile) throws {
    self.file = file
    let db = try ForeignDatabase(file, tables: ["sessions", "events"])
    tables = db.tables
    guard db.tables.has("events", "id", "app_name", "user_id", "session_id") else {
      throw FormatError(
        .malformed, "Can't import '\(file.name)': it has no table of ADK with events.",
        file: file.name)
    }
    var order: [ADKSession] = []
    var events: [ADKSession: [String]] = [:]
    try db.all(["app_name", "user_id", "session_id", "id"], of: "events") { row in
      guard let app = row.optionalText(0), let user = row.optionalText(1),
        let id = row.optionalText(2), let event = row.optionalText(3)
      else { return }
      let session = ADKSession(app: app, user: user, id: id)
      if events[session] == nil { order.append(session) }
      events[session, default: []].append(event)
    }
    conversations = order.map { ADKConversation(session: $0, events: events[$0] ?? []) }
  }

  func source(of conversation: ADKConversation) -> ForeignSource {
    let readings = DatabaseReadings()
    return ForeignSource(
      format: ADKDatabaseCodec.name, name: file.lastName, identity: ADKDatabaseCodec.identity,
      namesSession: true
    ) {
      let rows = ADKRows(conversation, in: try ForeignDatabase(file, tables))
      let session = conversation.session
      return DatabaseReading(
        rows, ADKRowDecoder(session, file.assets), id: session.foreignID ?? session.id,
        of: file.name, readings)
    }
  }
}
