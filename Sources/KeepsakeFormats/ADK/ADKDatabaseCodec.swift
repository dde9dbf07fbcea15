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
