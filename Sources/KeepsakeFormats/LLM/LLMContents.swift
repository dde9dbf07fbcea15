import KeepsakeFiles
import KeepsakeSQLite
import Keepsake

/// Lists the conversations of a log database, and the rows that belong to each response.
struct LLMContents: DatabaseContents {
  let file: ForeignFile
  let tables: ForeignTables
  private(set) var conversations: [LLMConversation] = []
  /// The ids of the rows of tool calls, by the id of their response.
  private(set) var calls: [String: [Int64]] = [:]
  /// The ids of the rows of tool results, by the id of their response.
  private(set) var results: [String: [Int64]] = [:]
  /// The ids of the tools that were offered, by the id of the response.
  private(set) var tools: [String: [Int64]] = [:]

  private static let tables = [
    "threads", "turns", "messages", "parts", "part_attachments", "part_fragments", "turn_fragments",
    "turn_tools", "tool_instantiations", "conversations", "responses", "prompt_attachments",
    "prompt_fragments", "system_fragments", "tool_responses", "tool_calls", "tool_results",
    "tool_results_attachments", "attachments", "fragments", "schemas", "tools", "tool_instances",
  ]

  /// Reads the lists from the database. Conversations of the older tables come first.
  init(_ file: ForeignFile) throws {
    self.file = file
    let db = try ForeignDatabase(file, tables: Self.tables)
    tables = db.tables
    guard
      db.tables.has("responses", "id")
        || db.tables.has("threads", "id", "tip_message_hash") && db.tables.has("messages", "hash")
    else {
      throw FormatError(
        .malformed, "Can't import '\(file.name)': it has no tables of llm with conversations.",
        file: file.name)
    }
    try addResponses(db)
    calls = try Self.ids("id", of: "tool_calls", db)
    results = try Self.ids("id", of: "tool_results", db)
    tools = try Self.ids("tool_id", of: "tool_responses", db)
    try db.all(["id", "tip_message_hash"], of: "threads") { row in
      if !row.isNull(1) { conversations.append(.thread(row.text(0))) }
    }
  }

  private mutating func addResponses(_ db: ForeignDatabase) throws {
    var places: [String: Int] = [:]
    var responses: [String] = []
    try db.all(["id"], of: "responses") { responses.append($0.text(0)) }
    for id in responses {
      guard let conversation = try Self.conversation(of: id, db) else {
        conversations.append(.responses([id], conversation: nil))
        continue
      }
      if let place = places[conversation] {
        conversations[place].append(id)
      } else {
        places[conversation] = conversations.count
        conversations.append(.responses([id], conversation: conversation))
      }
    }
  }

  /// The id of the conversation that a response belongs to.
  ///
  /// A damaged row gives nil here. The damage is reported when the response itself is read, and hides no other
  /// response.
  private static func conversation(of response: String, _ db: ForeignDatabase) throws -> String? {
    var conversation: String?
    do {
      try db.rows(of: "responses", where: "id", is: .text(response)) { row in
        conversation = db.text("conversation_id", of: "responses", row)
      }
    } catch let error as FormatError where error.code == .malformed {}
    return conversation
  }

  private static func ids(_ column: String, of table: String, _ db: ForeignDatabase) throws
    -> [String: [Int64]]
  {
    var found: [String: [Int64]] = [:]
    try db.all(["response_id", column], of: table) { row in
      found[row.text(0), default: []].append(row.int64(1))
    }
    return found
  }

  /// The source of a conversation, which can be read any number of times.
  func source(of conversation: LLMConversation) -> ForeignSource {
    let readings = DatabaseReadings()
    return ForeignSource(
      format: LLMCodec.name, name: file.lastName, identity: LLMCodec.identity, namesSession: true
    ) {
      let (rows, decoder) = try self.rows(of: conversation)
      return DatabaseReading(rows, decoder, id: conversation.id, of: file.name, readings)
    }
  }

  private func rows(of conversation: LLMConversation) throws
    -> (any DatabaseRows, any RecordDecoder)
  {
    let db = try ForeignDatabase(file, tables)
    switch conversation {
    case .thread(let thread):
      let rows = try LLMThreadRows(thread, in: db)
      return (rows, LLMMessageDecoder(times: rows.chain.times))
    case .responses(let responses, let conversation):
      return (
        try LLMResponseRows(responses, conversation: conversation, of: self, in: db),
        LLMResponseDecoder()
      )
    }
  }
}
