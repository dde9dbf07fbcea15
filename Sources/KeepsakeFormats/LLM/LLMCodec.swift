import KeepsakeFiles
import Keepsake

/// The log database of the `llm` command, `logs.db`: a SQLite file with any number of conversations, each of which becomes a
/// session.
enum LLMCodec: DatabaseCodec {
  static let name = "llm"

  static let format = Format(
    name: name, title: "log database of llm", fileExtensions: ["db"], canRead: true,
    artifacts: [.inline], holdsSeveral: true, givesBack: false,
    sign: "a SQLite database with llm's tables")

  /// llm's own table of migrations, beside the tables of one of its generations. Where the database can't be opened, what
  /// its schema looks like on the disk counts, so that it is told what is wrong with it.
  static func recognises(_ head: FileHead) -> Bool {
    guard ForeignDatabase.isOne(head.bytes) else { return false }
    guard head.tables.isEmpty else {
      return head.tables.contains("_llm_migrations")
        && (head.tables.isSuperset(of: ["threads", "messages", "parts"])
          || head.tables.isSuperset(of: ["conversations", "responses"]))
    }
    return ["_llm_migrations", "conversations"].allSatisfy { table in
      head.bytes.firstRange(of: Array("table\(table)\(table)".utf8)) != nil
    }
  }

  /// Attachments are stored once for the whole database, under the digest of their bytes, and what was last said of one
  /// takes the place of what was said before.
  static let identity = RecordIdentity.json(leavingOut: [
    VolatileMember("parts", "*", "attachments", "*", "attachment", "path"),
    VolatileMember("parts", "*", "attachments", "*", "attachment", "type"),
    VolatileMember("prompt_attachments", "*", "attachment", "path"),
    VolatileMember("prompt_attachments", "*", "attachment", "type"),
    VolatileMember("tool_results", "*", "attachments", "*", "attachment", "path"),
    VolatileMember("tool_results", "*", "attachments", "*", "attachment", "type"),
  ])

  typealias Contents = LLMContents
}
