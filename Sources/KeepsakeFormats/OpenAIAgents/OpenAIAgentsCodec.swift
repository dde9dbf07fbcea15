import Keepsake

/// The sessions that the OpenAI Agents SDK keeps in a SQLite file, each of which becomes a session: the items that went to
/// the model and came from it, a row each.
enum OpenAIAgentsCodec: DatabaseCodec {
  static let name = "openai-agents"

  static let format = Format(
    name: name, title: "session database of the OpenAI Agents SDK", fileExtensions: ["db"],
    canRead: true, artifacts: [.inline], holdsSeveral: true, givesBack: false,
    sign: "a SQLite database with agent_sessions and agent_messages")

  /// Where the database can't be opened, what its schema looks like on the disk counts, so that it is told what is wrong
  /// with it.
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
