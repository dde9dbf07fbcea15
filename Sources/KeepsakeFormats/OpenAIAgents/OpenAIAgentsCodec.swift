import Keepsake

/// Reads the SQLite file of the OpenAI Agents SDK, in which every conversation becomes a session.
///
/// A row of the database is one item of the conversation.
enum OpenAIAgentsCodec: DatabaseCodec {
  static let name = "openai-agents"

  static let format = Format(
    name: name, title: "session database of the OpenAI Agents SDK", fileExtensions: ["db"],
    canRead: true, artifacts: [.inline], holdsSeveral: true, givesBack: false,
    sign: "a SQLite database with agent_sessions and agent_messages")

  /// Looks for the two tables of the SDK.
  ///
  /// Where the database can't be opened, the bytes of its schema are searched, so that the import can say what is
  /// wrong.
  static func recognises(_ head: FileHead) -> Bool {
    guard ForeignDatabase.isOne(head.bytes) else { return false }
    guard head.tables.isEmpty else { return head.tables.isSuperset(of: tables) }
    return tables.allSatisfy { table in
      head.bytes.firstRange(of: Array("table\(table)\(table)".utf8)) != nil
    }
  }

  private static let tables = ["agent_sessions", "agent_messages"]

  static let identity = RecordIdentity.json()

  typealias Contents = OpenAIAgentsContents
}
