import Keepsake

/// The statements that take offers.
///
/// The values of the first two are the number and the id of the space, then lists of the same length: the sessions, all different,
/// the stamps that are built on, the stamps, the digests of the bytes, and the bytes, the times for lists, the numbers of kinds
/// whose terms go, and the origins of forks. Three lists have the terms that come: the place of the offer, counted from 1, the kind
/// and the hash. The second statement also gets two lists of the artifacts that are needed: the place of the offer, and the digest.
///
/// The statements take nothing, and answer with no row, once the hub has another format than ``PostgresHub/format``. Otherwise they answer
/// with a row for each offer: its place, the version that it became, whether artifacts are missing, and what the session's row said before
/// (version, stamp, base and seal), all nulls where there was none.
enum PostgresCommit {
  static let plain = PostgresStatement(sql(withArtifacts: false), isWriting: true)
  static let withArtifacts = PostgresStatement(sql(withArtifacts: true), isWriting: true)

  /// Reads what some versions of a session say of themselves, the newest first.
  static let look = PostgresStatement(
    """
    SELECT version, stamp, base, digest, seal FROM keepsake.log
    WHERE space = $1::integer AND session = $2::uuid AND version BETWEEN $3::bigint AND $4::bigint
    ORDER BY version DESC
    """)

  /// Artifacts are locked first, always, and in order; sessions are next, in order; new ones come last, in order. Whoever takes
  /// locks in one order never waits in a circle.
  ///
  /// Rows are looked up one by one, by their key: a plan that was made while the table was small, and reads all of it, would be
  /// kept while it grows.
  ///
  /// A row that was locked is given as it is then. The rest of the statement sees what was there when it began, and may use
  /// nothing else of what others change.
  private static func sql(withArtifacts: Bool) -> String {
    let artifacts = """
      a AS MATERIALIZED (
        SELECT digest FROM keepsake.artifact
        WHERE space = $1::integer AND digest = ANY ($15::bytea[]) AND NOT is_going ORDER BY digest FOR SHARE),
      m AS MATERIALIZED (
        SELECT DISTINCT p.number FROM unnest($14::integer[], $15::bytea[]) p (number, digest)
        WHERE NOT EXISTS (SELECT FROM a WHERE a.digest = p.digest)),

      """
    let hasAll = "NOT EXISTS (SELECT FROM m WHERE m.number = w.number)"
    let (needs, locksArtifacts, lacks) =
      withArtifacts
      ? ("AND \(hasAll)", "AND (SELECT count(*) FROM a) >= 0", "NOT \(hasAll)") : ("", "", "false")
    func seal(_ version: String, _ base: String, _ digest: String? = nil) -> String {
      PostgresSeal.sql(
        space: "$2::uuid", session: "w.session", version: version, stamp: "w.stamp", base: base,
        digest: digest)
    }
    let isSound = PostgresSeal.sql(
      space: "$2::uuid", session: "k.session", version: "k.version", stamp: "k.stamp",
      base: "k.base")
    return """
      WITH \(withArtifacts ? artifacts : "")w AS MATERIALIZED (
        SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::bytea[], $8::bigint[], $9::integer[], $10::uuid[])
          WITH ORDINALITY w (session, base, stamp, digest, updated, kinds, origin, number)
        WHERE (SELECT format FROM keepsake.hub LIMIT 1) = \(PostgresHub.format)),
      k AS MATERIALIZED (
        SELECT h.* FROM (
          SELECT session FROM w WHERE true \(locksArtifacts) ORDER BY session OFFSET 0) o,
        LATERAL (
          SELECT session, version, stamp, base, seal FROM keepsake.head
          WHERE space = $1::integer AND session = o.session FOR UPDATE) h),
      u AS (
        UPDATE keepsake.head h
        SET version = k.version + 1, stamp = w.stamp, base = w.base, seal = \(seal("k.version + 1", "w.base"))
        FROM w JOIN k ON k.session = w.session AND k.stamp = w.base AND k.seal = \(isSound)
        WHERE h.space = $1::integer AND h.session = w.session AND h.session = ANY ($3::uuid[]) \(needs)
        RETURNING h.session, h.version),
      n AS (
        INSERT INTO keepsake.head (space, session, version, stamp, seal)
        SELECT $1::integer, w.session, 1, w.stamp, \(seal("1", "NULL::uuid")) FROM w
        WHERE w.base IS NULL AND NOT EXISTS (SELECT FROM k WHERE k.session = w.session) \(needs)
        ORDER BY w.session ON CONFLICT DO NOTHING RETURNING session, version),
      t AS (SELECT session, version FROM u UNION ALL SELECT session, version FROM n),
      l AS (
        INSERT INTO keepsake.log (space, session, version, stamp, base, at, digest, seal, bytes)
        SELECT $1::integer, w.session, t.version, w.stamp, w.base,
          (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, w.digest,
          \(seal("t.version", "w.base", "w.digest")), ($7::bytea[])[w.number]
        FROM t JOIN w ON w.session = t.session)\(lists)
      SELECT w.number, t.version, \(lacks), k.version, k.stamp, k.base, k.seal
      FROM w LEFT JOIN t ON t.session = w.session LEFT JOIN k ON k.session = w.session
      """
  }

  /// Changes the lists for the offers that are taken.
  ///
  /// Terms that stay are neither removed nor added: a row can't be both in one statement. The terms of its origin hold for a fork, too,
  /// but for the tags of the origin itself. So a fork may lose no terms but such tags in the same statement.
  private static let lists = """
    ,
    x AS MATERIALIZED (
      SELECT w.session, x.kind, x.hash
      FROM unnest($11::integer[], $12::integer[], $13::bytea[]) x (number, kind, hash) JOIN w ON w.number = x.number
        JOIN t ON t.session = w.session),
    d AS (
      DELETE FROM keepsake.term d USING w JOIN t ON t.session = w.session
      WHERE d.space = $1::integer AND d.session = w.session AND d.session = ANY ($3::uuid[]) AND d.kind < w.kinds
        AND NOT EXISTS (SELECT FROM x WHERE x.session = d.session AND x.kind = d.kind AND x.hash = d.hash)),
    e AS (
      INSERT INTO keepsake.term (space, kind, hash, session)
      SELECT $1::integer, kind, hash, session FROM x
      UNION
      SELECT $1::integer, o.kind, o.hash, w.session FROM w JOIN t ON t.session = w.session, LATERAL (
        SELECT kind, hash FROM keepsake.term
        WHERE space = $1::integer AND session = w.origin AND kind > \(HubTerm.Kind.sessionTag.rawValue)) o
      ON CONFLICT DO NOTHING),
    f AS (
      INSERT INTO keepsake.listing AS l (space, session, updated)
      SELECT $1::integer, w.session, w.updated FROM w JOIN t ON t.session = w.session WHERE w.updated IS NOT NULL
      ON CONFLICT (space, session) DO UPDATE SET updated = excluded.updated WHERE l.updated <> excluded.updated),
    g AS (
      DELETE FROM keepsake.listing l USING w JOIN t ON t.session = w.session
      WHERE l.space = $1::integer AND l.session = w.session AND l.session = ANY ($3::uuid[])
        AND w.kinds > \(HubTerm.Kind.allCases.count))
    """
}
