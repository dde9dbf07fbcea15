/// Compares the schema of the database with one that the same migrations make anew.
///
/// Keepsake runs no triggers and reads no views, so planted ones do nothing while it has the store open. Other
/// programs, such as the `sqlite3` command, may run them. Missing objects are damage, because Keepsake relies on them.
struct SchemaCheck {
  let db: Tables

  /// Reports differences.
  /// - Returns: Whether Keepsake made all objects that exist.
  func run(report: inout VerifyReport) throws -> Bool {
    let schemas = try db.checks.schemas()
    var expected: [Key: SchemaRow] = [:]
    for object in schemas.expected { expected[Key(object)] = object }
    var isOurs = true
    for found in schemas.found {
      let made = expected.removeValue(forKey: Key(found))
      if found == made { continue }
      // `ANALYZE` makes these tables for SQLite's planner.
      if found.name.hasPrefix("sqlite_stat") {
        report.harmless(
          Self.name(found), "SQLite counted the store's rows, because somebody asked it to.",
          remedy: "Nothing to do.")
        continue
      }
      isOurs = false
      report.damaged(
        Self.name(found),
        made == nil
          ? "Keepsake did not make it: somebody put it there."
          : "It is not made as Keepsake makes it: somebody changed it.",
        action: .moveToNewStore)
    }
    for object in expected.values.sorted(by: { ($0.kind, $0.name) < ($1.kind, $1.name) }) {
      tell(missing: object, &report)
    }
    return isOurs
  }

  /// Tables and indexes share their names; a trigger may have the name of a table.
  private struct Key: Hashable {
    let kind: String
    let name: String

    init(_ object: SchemaRow) {
      kind = object.kind
      name = object.name
    }
  }

  /// Reports a missing object. Indexes and the tables of search can be derived again.
  private func tell(missing object: SchemaRow, _ report: inout VerifyReport) {
    let name = Self.name(object)
    switch object.kind {
    case "table" where object.name == "search" || object.name.hasPrefix("search_"):
      // The queue of the index is named like the tables behind it.
      report.derived(name, "It is missing, so search finds nothing.", action: .moveToNewStore)
    case "index":
      report.derived(
        name, "It is missing, so that what goes by it takes long or is not kept unique.",
        action: .moveToNewStore)
    default:
      report.damaged(name, "It is missing, and what was in it is lost.", action: .moveToNewStore)
    }
  }

  private static func name(_ object: SchemaRow) -> String {
    object.kind == "table" || object.kind == "view"
      ? "the \(object.kind) '\(object.name)'"
      : "the \(object.kind) '\(object.name)' of the table '\(object.table)'"
  }
}
