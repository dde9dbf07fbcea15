/// The tables of a hub in a database, and the rights on them.
///
/// A role that only uses a hub, which its owner made with its spaces, needs no more than this:
///
///     GRANT USAGE ON SCHEMA keepsake TO app;
///     GRANT SELECT ON keepsake.hub, keepsake.space TO app;
///     GRANT SELECT, INSERT, UPDATE ON keepsake.head TO app;
///     GRANT SELECT, INSERT, UPDATE ON keepsake.log TO app;
///     GRANT SELECT, INSERT, UPDATE, DELETE ON keepsake.artifact TO app;
///     GRANT SELECT, INSERT, DELETE ON keepsake.artifact_part TO app;
///     GRANT SELECT, INSERT, UPDATE, DELETE ON keepsake.listing TO app;
///     GRANT SELECT, INSERT, DELETE ON keepsake.term TO app;
///     GRANT SELECT, INSERT, UPDATE, DELETE ON keepsake.note TO app;
///
/// It may add versions and take out of one what was erased, and can remove none. Rows of artifacts are locked while a commit
/// names them, which takes the right to update them.
package enum PostgresSchema {
  /// The rights that a role needs on each table.
  static let rights: [(table: String, rights: [String])] = [
    ("hub", ["SELECT"]), ("space", ["SELECT"]), ("head", ["SELECT", "INSERT", "UPDATE"]),
    ("log", ["SELECT", "INSERT", "UPDATE"]),
    ("artifact", ["SELECT", "INSERT", "UPDATE", "DELETE"]),
    ("artifact_part", ["SELECT", "INSERT", "DELETE"]),
    ("listing", ["SELECT", "INSERT", "UPDATE", "DELETE"]),
    ("term", ["SELECT", "INSERT", "DELETE"]),
    ("note", ["SELECT", "INSERT", "UPDATE", "DELETE"]),
  ]

  /// The statements that give a role what it needs, for whoever administers the database.
  /// - Parameter role: The role, as SQL writes it.
  package static func grants(to role: String) -> [String] {
    ["GRANT USAGE ON SCHEMA keepsake TO \(role);"]
      + rights.map { table, rights in
        "GRANT \(rights.joined(separator: ", ")) ON keepsake.\(table) TO \(role);"
      }
  }

  /// Makes the tables. The first statement is left out where the schema is there.
  ///
  /// The number of a space is in each row, because a name would be longer. Heads are updated in place, which needs room on their
  /// pages and no other index; versions are added, and one of them changes only where something is erased. Many values of one page
  /// are worth more than short rows, so that versions up to a page stay in it.
  static func making(withSchema: Bool, format: Int64) -> String {
    (withSchema ? "CREATE SCHEMA keepsake;\n" : "") + """
      CREATE TABLE keepsake.hub (format integer NOT NULL, made bigint NOT NULL);
      CREATE UNIQUE INDEX hub_is_one ON keepsake.hub ((true));
      CREATE TABLE keepsake.space (
        number integer PRIMARY KEY, id uuid NOT NULL UNIQUE, name text COLLATE "C" NOT NULL UNIQUE);
      CREATE TABLE keepsake.head (
        space integer, session uuid, version bigint NOT NULL, stamp uuid NOT NULL, base uuid,
        seal bytea NOT NULL, PRIMARY KEY (space, session)) WITH (fillfactor = 50);
      CREATE TABLE keepsake.log (
        space integer, session uuid, version bigint, stamp uuid NOT NULL, base uuid, at bigint NOT NULL,
        digest bytea NOT NULL, seal bytea NOT NULL, bytes bytea NOT NULL,
        PRIMARY KEY (space, session, version)) WITH (toast_tuple_target = 8160);
      CREATE INDEX log_by_time ON keepsake.log (space, at);
      CREATE TABLE keepsake.artifact (
        space integer, digest bytea, size bigint NOT NULL, bytes bytea, key uuid, seal bytea,
        at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
        is_going boolean NOT NULL DEFAULT false,
        PRIMARY KEY (space, digest), CHECK ((bytes IS NULL) = (key IS NOT NULL AND seal IS NOT NULL)));
      CREATE TABLE keepsake.artifact_part (
        space integer, key uuid, number integer, bytes bytea NOT NULL, PRIMARY KEY (space, key, number));
      ALTER TABLE keepsake.artifact ALTER COLUMN bytes SET STORAGE EXTERNAL;
      ALTER TABLE keepsake.artifact_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
      INSERT INTO keepsake.hub (format, made)
      VALUES (\(format), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);

      """ + upgrading
  }

  /// Makes the tables that were added with format 2, unless they exist.
  ///
  /// Listings and terms only find sessions. A listing has the time by which a list is ordered, which changes with most versions, and
  /// so it is no part of the head.
  static let upgrading = """
    CREATE TABLE IF NOT EXISTS keepsake.listing (
      space integer, session uuid, updated bigint NOT NULL, PRIMARY KEY (space, session)) WITH (fillfactor = 70);
    CREATE INDEX IF NOT EXISTS listing_by_update ON keepsake.listing (space, updated, session);
    CREATE TABLE IF NOT EXISTS keepsake.term (
      space integer, kind integer, hash bytea, session uuid, PRIMARY KEY (space, kind, hash, session));
    CREATE INDEX IF NOT EXISTS term_by_session ON keepsake.term (space, session, kind);
    CREATE TABLE IF NOT EXISTS keepsake.note (
      space integer, kind text COLLATE "C", id uuid, at bigint NOT NULL, text bytea NOT NULL,
      PRIMARY KEY (space, kind, id));
    """
}
