import KeepsakeSQLite
import Keepsake

/// Reads the SQLite file of Google's ADK, in which every conversation becomes a session.
enum ADKDatabaseCodec: DatabaseCodec {
  static let name = "adk-database"

  static let format = Format(
    name: name, title: "session database of Google's ADK", fileExtensions: ["db"], canRead: true,
    artifacts: [.inline], holdsSeveral: true, givesBack: false,
    sign: "a SQLite database with ADK's tables of sessions and events")

  static func recognises(_ head: FileHead) -> Bool {
    guard ForeignDatabase.isOne(head.bytes) else { return false }
    let signs = ["app_states", "user_states", "events"]
    guard head.tables.isEmpty else { return head.tables.isSuperset(of: signs + ["sessions"]) }
    return signs.allSatisfy { table in
      head.bytes.firstRange(of: Array("table\(table)\(table)".utf8)) != nil
    }
  }

  static let identity = RecordIdentity.json()

  typealias Contents = ADKContents
}

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
