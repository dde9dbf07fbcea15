import KeepsakeFiles
import Keepsake

/// Reads the log database of the `llm` command, `logs.db`, in which every conversation becomes a session.
enum LLMCodec: DatabaseCodec {
  static let name = "llm"

  static let format = Format(
    name: name, title: "log database of llm", fileExtensions: ["db"], canRead: true,
    artifacts: [.inline], holdsSeveral: true, givesBack: false,
    sign: "a SQLite database with llm's tables")

  /// Looks for llm's own table of migrations, together with the tables of its newer or its older schema.
  ///
  /// Where the database can't be opened, the bytes of its schema are searched, so that the import can say what is
  /// wrong.
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

  /// The identity of a record without the path and type of attachments, which may change later.
  ///
  /// llm stores an attachment once for the whole database, under the digest of its bytes, and overwrites its path and
  /// type.
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
