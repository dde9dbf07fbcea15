import KeepsakeSQLite
import Keepsake

/// Lists the sessions in a database of the Agents SDK, with their rows. Each branch of a session is a session of its
/// own.
struct OpenAIAgentsContents: DatabaseContents {
  let file: ForeignFile
  private let tables: ForeignTables
  private(set) var conversations: [OpenAIAgentsSession] = []

  private static let tables = [
    "agent_sessions", "agent_messages", "message_structure", "turn_usage",
  ]

  init(_ file: ForeignFile) throws {
    self.file = file
    let db = try ForeignDatabase(file, tables: Self.tables)
    tables = db.tables
    guard db.tables.has("agent_messages", "id", "session_id", "message_data") else {
      throw FormatError(
        .malformed,
        "Can't import '\(file.name)': it has no table of the Agents SDK with messages.",
        file: file.name)
    }
    var order: [String] = []
    var messages: [String: [Int64]] = [:]
    try db.all(["session_id"], of: "agent_sessions") { row in
      if let id = row.optionalText(0) { order.append(id) }
    }
    try db.all(["session_id", "id"], of: "agent_messages") { row in
      guard let session = row.optionalText(0), let id = row.optionalInt64(1) else { return }
      messages[session, default: []].append(id)
    }
    // A session whose own row is missing is still a session.
    order += Set(messages.keys).subtracting(order).sorted()
    let places = try Self.places(in: db)
    for id in order {
      // A session without messages was cleared, and is skipped. A second row with the same id adds nothing.
      guard let own = messages.removeValue(forKey: id) else { continue }
      conversations += Self.branches(of: id, own, places[id] ?? [])
    }
  }

  /// A message's place in a branch of its session.
  private struct Place {
    let row: Int64
    let message: Int64
    let branch: String
    let number: Int64
  }

  private static func places(in db: ForeignDatabase) throws -> [String: [Place]] {
    var places: [String: [Place]] = [:]
    let columns = ["session_id", "id", "message_id", "branch_id", "sequence_number"]
    try db.all(columns, of: "message_structure") { row in
      guard let session = row.optionalText(0), let id = row.optionalInt64(1),
        let message = row.optionalInt64(2), let branch = row.optionalText(3)
      else { return }
      let number = row.optionalInt64(4) ?? .max
      places[session, default: []].append(
        Place(row: id, message: message, branch: branch, number: number))
    }
    return places
  }

  private static let mainBranch = "main"

  /// The branches of a session, the main branch first, to which messages without a known place belong.
  private static func branches(of id: String, _ messages: [Int64], _ places: [Place])
    -> [OpenAIAgentsSession]
  {
    let known = Set(messages)
    let placed = Set(places.map(\.message))
    let branches = Dictionary(grouping: places.filter { known.contains($0.message) }, by: \.branch)
    let names = [mainBranch] + branches.keys.filter { $0 != mainBranch }.sorted()
    return names.compactMap { name in
      let isMain = name == mainBranch
      var said = (branches[name] ?? []).sorted { ($0.number, $0.row) < ($1.number, $1.row) }
        .map { OpenAIAgentsSession.Message(id: $0.message, place: $0.row) }
      if isMain {
        said += messages.filter { !placed.contains($0) }.map { .init(id: $0, place: nil) }
      }
      return said.isEmpty
        ? nil : OpenAIAgentsSession(id: id, branch: isMain ? nil : name, messages: said)
    }
  }

  func source(of session: OpenAIAgentsSession) -> ForeignSource {
    let readings = DatabaseReadings()
    return ForeignSource(
      format: OpenAIAgentsCodec.name, name: file.lastName, identity: OpenAIAgentsCodec.identity,
      namesSession: true
    ) {
      let rows = OpenAIAgentsRows(session, in: try ForeignDatabase(file, tables))
      return DatabaseReading(
        rows, OpenAIAgentsDecoder(), id: session.foreignID, of: file.name, readings)
    }
  }
}
