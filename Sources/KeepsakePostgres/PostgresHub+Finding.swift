#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

/// Finding sessions by what their offers said of them.
extension PostgresHub {
  package func find(_ query: HubQuery) async throws -> [HubFound]? {
    try Task.checkCancellation()
    // The list begins after this place, so that sessions with a later change are left out.
    let latest = query.updated.upperBound
    let end = HubPlace(updated: latest, session: latest == .max ? .last : .first)
    let place = query.after.map { $0.updated < latest ? $0 : end } ?? end
    var values: [PostgresValue] = [
      .number(space), .number(query.updated.lowerBound), .number(place.updated),
      .id(place.session), .number(Int64(query.limit)),
    ]
    for term in query.terms { values += [.number(term.kind.rawValue), .bytes(term.hash)] }
    return try await threads.run { [self, values] in
      let isBounded = query.updated.lowerBound != .min
      let rows = try ask(Self.listing(having: query.terms.count, isBounded: isBounded), values)
      do {
        return try rows.map { row in
          HubFound(
            head: HubHead(
              session: try row.id(0), version: try row.number(2), stamp: try row.id(3)),
            place: HubPlace(updated: try row.number(1), session: try row.id(0)))
        }
      } catch { throw told(error) }
    }
  }

  /// The most sessions with a term that are all read and put in order. Where each term has more of them, the list is read in its
  /// order, and each of its sessions is asked for the terms: sessions that have them come soon.
  static let few = 2000

  /// Reads a part of the list, of sessions that have a number of terms.
  ///
  /// Which of the two ways is taken is known before the first row is read, and the other one does not run. Rows are looked up one by
  /// one, by their key, however small the tables are when the plan is made. `OFFSET 0` and `count` keep the server from doing it
  /// in another order.
  ///
  /// A list without terms compares the earliest time after it has read a page, because the page's sessions come in the order of their
  /// times. A server without figures of the table expects few rows from such a comparison, and would read the whole table. A list without
  /// an earliest time has no such comparison.
  static func listing(having terms: Int, isBounded: Bool) -> PostgresStatement {
    let terms = 0..<terms
    func having(_ number: Int) -> String {
      "space = $1::integer AND kind = $\(6 + 2 * number)::integer AND hash = $\(7 + 2 * number)::bytea"
    }
    let hasTerms = terms.map { number in
      "\n  AND (SELECT count(*) FROM keepsake.term WHERE \(having(number)) AND session = l.session) > 0"
    }.joined()
    let isLateEnough = isBounded ? "l.updated >= $2::bigint" : "$2::bigint IS NOT NULL"
    let isBelow = "(l.updated, l.session) < ($3::bigint, $4::uuid)"
    let inOrder = "ORDER BY l.updated DESC, l.session DESC"
    let hasFew = terms.map { "(SELECT count(*) FROM f\($0)) <= \(few)" }
    let lists = terms.map { number in
      "f\(number) AS MATERIALIZED (SELECT session FROM keepsake.term WHERE \(having(number)) LIMIT \(few + 1)),\n"
    }.joined()
    // The first of the terms that few sessions have.
    let rare = terms.map { number in
      let conditions = terms[..<number].map { "NOT \(hasFew[$0])" } + [hasFew[number]]
      return """
        UNION ALL
        (SELECT l.session, l.updated FROM f\(number), LATERAL (
          SELECT session, updated FROM keepsake.listing WHERE space = $1::integer AND session = f\(number).session OFFSET 0) l
        WHERE \(conditions.joined(separator: " AND "))
          AND \(isLateEnough) AND \(isBelow)\(hasTerms)
        \(inOrder) LIMIT $5::bigint)

        """
    }.joined()
    // A limit inside tells the server that a list without terms needs few rows, so that it reads these by the index.
    let end = terms.isEmpty ? "LIMIT $5::bigint" : "OFFSET 0"
    let (inside, outside) = terms.isEmpty ? ("true", isLateEnough) : (isLateEnough, "true")
    let none = hasFew.map { "\n  AND NOT \($0)" }.joined()
    return PostgresStatement(
      """
      WITH \(lists)l AS (
        (SELECT l.session, l.updated FROM (
          SELECT l.session, l.updated FROM keepsake.listing l
          WHERE l.space = $1::integer AND \(isBelow) AND \(inside)
          \(inOrder) \(end)) l
        WHERE \(outside)\(none)\(hasTerms) LIMIT $5::bigint)
        \(rare))
      SELECT l.session, l.updated, h.version, h.stamp FROM l, LATERAL (
        SELECT version, stamp FROM keepsake.head WHERE space = $1::integer AND session = l.session OFFSET 0) h
      \(inOrder)
      """)
  }

  package func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int)
    async throws -> [HubHead]?
  {
    try Task.checkCancellation()
    let values: [PostgresValue] = [
      .number(space), .id(first), .id(last), .number(Int64(limit)),
    ]
    return try await threads.run { [self] in
      let rows =
        if let term {
          try ask(Self.having, values + [.number(term.kind.rawValue), .bytes(term.hash)])
        } else { try ask(Self.between, values) }
      do {
        return try rows.map {
          HubHead(session: try $0.id(0), version: try $0.number(1), stamp: try $0.id(2))
        }
      } catch { throw told(error) }
    }
  }

  package func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]? {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      let rows = try ask(Self.counting, [.number(space), .number(kind.rawValue)])
      do {
        return try rows.map { row in
          HubCounted(
            term: HubTerm(kind, hash: try row.bytes(0)), sessions: Int(try row.number(1)),
            head: HubHead(
              session: try row.id(2), version: try row.number(3), stamp: try row.id(4)))
        }
      } catch { throw told(error) }
    }
  }

  static let between = PostgresStatement(
    """
    SELECT l.session, h.version, h.stamp FROM (
      SELECT session FROM keepsake.listing
      WHERE space = $1::integer AND session BETWEEN $2::uuid AND $3::uuid ORDER BY session LIMIT $4::bigint) l,
    LATERAL (SELECT version, stamp FROM keepsake.head WHERE space = $1::integer AND session = l.session OFFSET 0) h
    ORDER BY l.session
    """)

  static let having = PostgresStatement(
    """
    SELECT e.session, h.version, h.stamp FROM (
      SELECT session FROM keepsake.term
      WHERE space = $1::integer AND kind = $5::integer AND hash = $6::bytea AND session BETWEEN $2::uuid AND $3::uuid
      ORDER BY session LIMIT $4::bigint) e,
    LATERAL (SELECT version, stamp FROM keepsake.head WHERE space = $1::integer AND session = e.session OFFSET 0) h
    ORDER BY e.session
    """)

  /// Counts the sessions of each term of a kind, and looks up the first session of each.
  ///
  /// The terms are read in the order of the index, so that a server does not read the whole table instead, which also has the terms of all
  /// other kinds and spaces.
  static let counting = PostgresStatement(
    """
    SELECT t.hash, t.sessions, h.session, h.version, h.stamp FROM (
      SELECT hash, count(*) AS sessions FROM (
        SELECT hash FROM keepsake.term WHERE space = $1::integer AND kind = $2::integer ORDER BY hash OFFSET 0) o
      GROUP BY hash OFFSET 0) t,
    LATERAL (
      SELECT session FROM keepsake.term WHERE space = $1::integer AND kind = $2::integer AND hash = t.hash
      ORDER BY session LIMIT 1) e,
    LATERAL (
      SELECT session, version, stamp FROM keepsake.head WHERE space = $1::integer AND session = e.session OFFSET 0) h
    """)
}
