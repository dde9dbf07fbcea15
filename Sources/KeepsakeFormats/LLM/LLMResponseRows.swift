import KeepsakeSQLite
import Keepsake

/// Gives the responses of a conversation as one line of JSON each, and at last the conversation itself.
struct LLMResponseRows: DatabaseRows {
  private(set) var title: String?
  var remarks: [String] { [] }
  private let responses: [String]
  private let conversation: String?
  private let contents: LLMContents
  private var writer: LLMRowWriter
  private var index = 0

  init(
    _ responses: [String], conversation: String?, of contents: LLMContents, in db: ForeignDatabase
  ) throws {
    self.responses = responses
    self.conversation = conversation
    self.contents = contents
    writer = LLMRowWriter(db)
    guard let conversation else { return }
    var title: String?
    try db.rows(of: "conversations", where: "id", is: .text(conversation)) { row in
      title = db.text("name", of: "conversations", row)
    }
    self.title = title
  }

  mutating func next() throws -> [UInt8]? {
    defer { index += 1 }
    if index < responses.count {
      let (id, contents) = (responses[index], contents)
      return try writer.line { try $0.response(id, of: contents) }
    }
    guard index == responses.count, let conversation else { return nil }
    return try writer.line {
      try $0.one("conversation", of: "conversations", is: .text(conversation))
    }
  }
}

extension LLMRowWriter {
  fileprivate mutating func response(_ id: String, of contents: LLMContents) throws {
    let key = ForeignDatabase.Key.text(id)
    try one("response", of: "responses", is: key)
    try db.rows(of: "responses", where: "id", is: key) { try schema(of: "responses", $0) }
    try fragments("system_fragments", of: "system_fragments", where: "response_id", is: key)
    try fragments("prompt_fragments", of: "prompt_fragments", where: "response_id", is: key)
    try attachments("prompt_attachments", of: "prompt_attachments", where: "response_id", is: key)
    try rows("tools", of: "tools", contents.tools[id])
    try rows("tool_results", of: "tool_results", contents.results[id]) { writer, row in
      try writer.instance(of: "tool_results", row)
      guard let result = writer.db.integer("id", of: "tool_results", row) else { return }
      try writer.attachments(
        of: "tool_results_attachments", where: "tool_result_id", is: .integer(result))
    }
    try rows("tool_calls", of: "tool_calls", contents.calls[id])
  }

  /// Writes the rows with the given ids as an array under a key; nothing where there are no ids.
  private mutating func rows(
    _ key: StaticString, of table: String, _ ids: [Int64]?, with more: More = { _, _ in }
  ) throws {
    guard let ids else { return }
    try array(key) { writer in
      for id in ids {
        try writer.db.rows(of: table, where: "id", is: .integer(id)) { row in
          try writer.object { writer in
            writer.write(row)
            try more(&writer, row)
          }
        }
      }
    }
  }
}
