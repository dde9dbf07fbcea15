#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

/// Reading and replacing the entries of sessions in the hub's lists.
extension PostgresHub {
  package func listings(of sessions: [UUID]) async throws -> [HubListed]? {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      let rows = try ask(Self.listings, [.number(space), .list(of: sessions)])
      do {
        var found: [UUID: HubListed] = [:]
        for row in rows {
          let session = try row.id(0)
          var listed =
            try found[session]
            ?? HubListed(
              session: session, stamp: row.id(1), updated: row.isNull(2) ? nil : row.number(2),
              terms: [])
          if !row.isNull(3), let term = HubTerm(kind: try row.number(3), hash: try row.bytes(4)) {
            listed.terms.insert(term)
          }
          found[session] = listed
        }
        return sessions.compactMap { found[$0] }
      } catch { throw told(error) }
    }
  }

  package func list(_ listed: HubListed) async throws -> Bool {
    try Task.checkCancellation()
    let terms = Array(listed.terms)
    let values: [PostgresValue] = [
      .number(space), .id(listed.session), .id(listed.stamp),
      listed.updated.map(PostgresValue.number) ?? .bytes(nil),
      .list(of: terms.map(\.kind.rawValue)), .list(of: terms.map(\.hash)),
    ]
    return try await threads.run(inTurn: listed.session) { [self] in
      try !ask(Self.listingAgain, values).isEmpty
    }
  }

  package func finishUpgrade() async throws {
    try Task.checkCancellation()
    _ = try await threads.run { [self] in try ask(Self.raising, [.number(Self.format)]) }
  }

  static let listings = PostgresStatement(
    """
    SELECT h.session, h.stamp, l.updated, t.kind, t.hash
    FROM unnest($2::uuid[]) o (session), LATERAL (
      SELECT session, stamp FROM keepsake.head WHERE space = $1::integer AND session = o.session OFFSET 0) h
    LEFT JOIN LATERAL (
      SELECT updated FROM keepsake.listing WHERE space = $1::integer AND session = h.session OFFSET 0) l ON true
    LEFT JOIN LATERAL (
      SELECT kind, hash FROM keepsake.term WHERE space = $1::integer AND session = h.session OFFSET 0) t ON true
    """)

  /// The session's row is locked first, so that no commit changes the lists meanwhile.
  static let listingAgain = PostgresStatement(
    """
    WITH k AS MATERIALIZED (
      SELECT session FROM keepsake.head
      WHERE space = $1::integer AND session = $2::uuid AND stamp = $3::uuid FOR UPDATE),
    x AS MATERIALIZED (
      SELECT k.session, x.kind, x.hash FROM k, unnest($5::integer[], $6::bytea[]) x (kind, hash)),
    d AS (
      DELETE FROM keepsake.term d USING k WHERE d.space = $1::integer AND d.session = $2::uuid
        AND NOT EXISTS (SELECT FROM x WHERE x.kind = d.kind AND x.hash = d.hash)),
    e AS (
      INSERT INTO keepsake.term (space, kind, hash, session)
      SELECT $1::integer, kind, hash, session FROM x ON CONFLICT DO NOTHING),
    f AS (
      INSERT INTO keepsake.listing (space, session, updated)
      SELECT $1::integer, session, $4::bigint FROM k WHERE $4::bigint IS NOT NULL
      ON CONFLICT (space, session) DO UPDATE SET updated = excluded.updated),
    g AS (
      DELETE FROM keepsake.listing l USING k
      WHERE l.space = $1::integer AND l.session = $2::uuid AND $4::bigint IS NULL)
    SELECT session FROM k
    """, isWriting: true)

  private static let raising = PostgresStatement(
    "UPDATE keepsake.hub SET format = $1::bigint::integer WHERE format < $1::bigint",
    isWriting: true)
}
