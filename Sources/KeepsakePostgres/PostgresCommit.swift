/// The statements that take offers.
///
/// The values of the first two are the number and the id of the space, then lists of the same length: the sessions, all different,
/// the stamps that are built on, the stamps, the digests of the bytes, and the bytes. The second one also gets two lists of the
/// artifacts that are needed: the place of the offer, counted from 1, and the digest.
///
/// They answer with a row for each offer: its place, the version that it became, whether artifacts are missing, and what the
/// session's row said before (version, stamp, base and seal), all nulls where there was none.
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
        WHERE space = $1::integer AND digest = ANY ($9::bytea[]) AND NOT is_going ORDER BY digest FOR SHARE),
      m AS MATERIALIZED (
        SELECT DISTINCT p.number FROM unnest($8::integer[], $9::bytea[]) p (number, digest)
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
        SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::bytea[])
          WITH ORDINALITY w (session, base, stamp, digest, number)),
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
        FROM t JOIN w ON w.session = t.session)
      SELECT w.number, t.version, \(lacks), k.version, k.stamp, k.base, k.seal
      FROM w LEFT JOIN t ON t.session = w.session LEFT JOIN k ON k.session = w.session
      """
  }
}
