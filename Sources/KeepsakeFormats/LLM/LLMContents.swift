import KeepsakeFiles
import KeepsakeSQLite
import Keepsake

/// Which conversations a log database has, and which rows belong to a response where no index says it.
struct LLMContents: DatabaseContents {
  let file: ForeignFile
  let tables: ForeignTables
  private(set) var conversations: [LLMConversation] = []
  /// The ids of rows, by the response that they belong to.
  private(set) var calls: [String: [Int64]] = [:]
  private(set) var results: [String: [Int64]] = [:]
  private(set) var tools: [String: [Int64]] = [:]

  private static let tables = [
    "threads", "turns", "messages", "parts", "part_attachments", "part_fragments", "turn_fragments",
    "turn_tools", "tool_instantiations", "conversations", "responses", "prompt_attachments",
    "prompt_fragments", "system_fragments", "tool_responses", "tool_calls", "tool_results",
    "tool_results_attachments", "attachments", "fragments", "schemas", "tools", "tool_instances",
  ]

  /// Reads what there is; the conversations of the older tables come first.
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

  /// The conversation that a response belongs to. What stands before it in the row may be damaged, which is told when the
  /// response is read, and keeps no other from being read.
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

  /// A conversation, to be read as often as is asked for.
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

/// A conversation of a log database.
enum LLMConversation: Sendable, CustomStringConvertible {
  /// A thread of the newer tables, by its id.
  case thread(String)
  /// The ids of the responses of a conversation of the older tables, and its id; nil of a response that belongs to none.
  case responses([String], conversation: String?)

  /// What the session is called in llm. One that was begun in the older tables and went on in the newer has the same id
  /// in both.
  var id: String {
    switch self {
    case .thread(let id): id
    case .responses(_, let conversation?): "conversation/\(conversation)"
    case .responses(let responses, nil): "response/\(responses[0])"
    }
  }

  var description: String {
    switch self {
    case .thread(let id): "Thread \(id)"
    case .responses(_, let conversation?): "Conversation \(conversation)"
    case .responses(let responses, nil): "Response \(responses[0])"
    }
  }

  mutating func append(_ response: String) {
    guard case .responses(var responses, let conversation) = self else { return }
    // The array has one owner again, so that it grows in place.
    self = .responses([], conversation: nil)
    responses.append(response)
    self = .responses(responses, conversation: conversation)
  }
}
