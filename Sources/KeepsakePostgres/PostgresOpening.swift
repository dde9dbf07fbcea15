#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The work of opening a hub: looks at the server, and finds the space or makes it.
struct PostgresOpening {
  let address: PostgresAddress
  let session: PostgresSession
  let mayMake: Bool
  let mayUpgrade: Bool
  /// The time for each statement.
  let time: Duration

  /// The number of the lock under which tables and spaces are made.
  private static let lock: Int64 = 0x6B65_6570_7361_6B65

  /// Looks at everything, and returns the place of the hub.
  func place() throws -> PostgresHub.Place {
    try checkServer()
    if try !hasTables() {
      guard mayMake else { throw KeepsakeError.noPostgresHub(address.text) }
      try transaction { if try !hasTables() { try makeTables() } }
    }
    let isOutdated = try readFormat()
    if isOutdated { try addTables() }
    try checkRights()
    if let place = try found(isOutdated) { return place }
    guard mayMake else { throw KeepsakeError.noPostgresHub(address.text) }
    try transaction {
      _ = try ask(
        """
        INSERT INTO keepsake.space (number, id, name)
        SELECT coalesce(max(number), 0) + 1, $1::uuid, $2::text FROM keepsake.space
        ON CONFLICT DO NOTHING
        """, [.id(UUID()), .text(address.space)])
    }
    guard let place = try found(isOutdated) else { throw KeepsakeError.noPostgresHub(address.text) }
    return place
  }

  private func ask(_ sql: String, _ values: [PostgresValue] = []) throws -> [PostgresRow] {
    try session.run(PostgresStatement(sql), values, within: time)
  }

  private func first(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresRow {
    guard let row = try ask(sql, values).first else { throw PostgresFailure.strange("no row") }
    return row
  }

  private func checkServer() throws {
    let row = try first(
      """
      SELECT version(), current_setting('server_version_num')::integer, current_setting('server_encoding'),
        pg_is_in_recovery(), current_setting('default_transaction_isolation'),
        current_setting('default_transaction_read_only')
      """)
    let version = try row.text(0)
    guard version.hasPrefix("PostgreSQL "), try row.number(1) >= 130_000 else {
      throw KeepsakeError.unfitPostgres(
        address.text, "its server is \(version.prefix(60)), and PostgreSQL 13 or newer is needed")
    }
    let encoding = try row.text(2)
    guard encoding == "UTF8" else {
      throw KeepsakeError.unfitPostgres(
        address.text,
        "its encoding is \(encoding), and UTF8 is needed. Make a database with ENCODING 'UTF8'")
    }
    guard try !row.bool(3), try row.text(5) == "off" else {
      throw KeepsakeError.unfitPostgres(
        address.text,
        "it takes no writes, because it is a standby or read-only. Name the server that takes them")
    }
    let isolation = try row.text(4)
    guard isolation == "read committed" else {
      throw KeepsakeError.unfitPostgres(
        address.text,
        "its transactions are '\(isolation)'. Set default_transaction_isolation to 'read committed' for the role"
      )
    }
  }

  /// Tells whether the tables are there, and throws where the schema holds other things.
  private func hasTables() throws -> Bool {
    let row = try first(
      """
      SELECT count(*), count(*) FILTER (WHERE c.relname = 'hub' AND c.relkind = 'r')
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'keepsake'
      """)
    guard try row.number(1) == 0 else { return true }
    guard try row.number(0) == 0 else { throw KeepsakeError.notAPostgresHub(address.text) }
    return false
  }

  private func makeTables() throws {
    // The schema may be there already, made for a role that may not make one.
    let hasSchema = try first(
      "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'keepsake')"
    ).bool(0)
    try session.run(
      PostgresSchema.making(withSchema: !hasSchema, format: PostgresHub.format), within: time)
  }

  /// Adds the tables that a hub of an earlier version lacks.
  private func addTables() throws {
    do {
      try transaction {
        // The lock fails for a role that may not change the table of the format, before any table is made.
        try session.run("LOCK TABLE keepsake.hub IN SHARE ROW EXCLUSIVE MODE", within: time)
        try session.run(PostgresSchema.upgrading, within: time)
      }
    } catch let failure as PostgresFailure where failure.state == "42501" {
      throw KeepsakeError(
        .permissionDenied,
        "Can't upgrade the hub at '\(address.text)': \(failure.reason). Have the owner of its tables do it.",
        object: address.text, cause: HubFault.unreachable)
    }
  }

  /// Asks for each right that a hub needs, in the order of ``PostgresSchema/rights``, whether the role has it; null where there is no such
  /// table. Each row also says whether the role may use the schema, and the role's name.
  private static let rights: String = {
    let needed = PostgresSchema.rights.flatMap { table, rights in rights.map { (table, $0) } }
    let rows = needed.enumerated().map { "(\($0), '\($1.0)', '\($1.1)')" }
    return """
      SELECT has_table_privilege(c.oid, r.name),
        coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'keepsake'), false),
        current_user::text
      FROM (VALUES \(rows.joined(separator: ", "))) r (number, relation, name)
      LEFT JOIN pg_class c ON c.relname = r.relation AND c.relkind = 'r'
        AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'keepsake')
      ORDER BY r.number
      """
  }()

  private func checkRights() throws {
    var answers = try ask(Self.rights)[...]
    guard let row = answers.first else { throw PostgresFailure.strange("no row") }
    var missing = try row.bool(1) ? [] : ["USAGE ON SCHEMA keepsake"]
    for (table, rights) in PostgresSchema.rights {
      let rows = answers.prefix(rights.count)
      answers = answers.dropFirst(rights.count)
      guard rows.count == rights.count, !rows.contains(where: { $0.isNull(0) }) else {
        throw KeepsakeError.damagedPostgres(address.text, "its table keepsake.\(table) is gone")
      }
      let lacking = try zip(rights, rows).filter { try !$0.1.bool(0) }.map(\.0)
      if !lacking.isEmpty {
        missing.append("\(lacking.joined(separator: ", ")) ON keepsake.\(table)")
      }
    }
    guard missing.isEmpty else {
      let role = try row.text(2)
      throw KeepsakeError(
        .permissionDenied,
        "The role '\(role)' may not use the hub at '\(address.text)': it lacks \(missing.joined(separator: "; ")). "
          + "Have its owner GRANT that.",
        object: address.text, cause: HubFault.unreachable)
    }
  }

  /// Tells whether an earlier version made the hub.
  private func readFormat() throws -> Bool {
    do { return try checkFormat() } catch let failure as PostgresFailure
      where failure.state == "42501"
    {
      // The role may not read the format. The error names all rights that the role lacks.
      try checkRights()
      throw failure
    }
  }

  /// Tells whether an earlier version made the hub. Throws if such a hub is opened for another reason than an upgrade.
  private func checkFormat() throws -> Bool {
    let rows = try ask("SELECT format FROM keepsake.hub LIMIT 2")
    guard rows.count == 1, let row = rows.first else {
      throw KeepsakeError.damagedPostgres(
        address.text, "its table keepsake.hub has \(rows.isEmpty ? "no row" : "several rows")")
    }
    let format = try row.number(0)
    guard format <= PostgresHub.format else {
      throw KeepsakeError.newerPostgresHub(address.text, format: format)
    }
    guard format > 0 else {
      throw KeepsakeError.damagedPostgres(address.text, "its format is \(format)")
    }
    let isOutdated = format < PostgresHub.format
    if isOutdated, !mayUpgrade { throw KeepsakeError.olderPostgresHub(address.text) }
    return isOutdated
  }

  private func found(_ isOutdated: Bool) throws -> PostgresHub.Place? {
    let rows = try ask(
      "SELECT number, id FROM keepsake.space WHERE name = $1::text", [.text(address.space)])
    guard let row = rows.first else { return nil }
    guard let space = try Int32(exactly: row.number(0)) else {
      throw PostgresFailure.strange("a space has the number \(try row.number(0))")
    }
    return PostgresHub.Place(
      address: address.text, space: space, id: try row.id(1), isOutdated: isOutdated)
  }

  /// Runs a body in a transaction, of which only one at a time makes anything.
  private func transaction(_ body: () throws -> Void) throws {
    try session.run("BEGIN", within: time)
    do {
      _ = try ask("SELECT pg_advisory_xact_lock($1::bigint)", [.number(Self.lock)])
      try body()
      try session.run("COMMIT", expecting: "COMMIT", within: time)
    } catch {
      // Where the connection is gone the server rolls back by itself.
      if !session.connection.isBroken { try? session.run("ROLLBACK", within: time) }
      throw error
    }
  }
}
