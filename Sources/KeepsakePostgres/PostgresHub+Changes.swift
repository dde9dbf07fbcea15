#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// The hint of what changed, by the hub's clock. A version is seen by others a while after it got its time, so that each answer
/// looks back a little further than the last one did.
extension PostgresHub {
  /// The time by which an answer looks back, in microseconds. What takes longer to be seen is missed by the hint.
  private static let overlap: Int64 = 30_000_000
  /// The most versions that an answer looks at. Whoever was away for longer reads the directory.
  private static let most = 100_000

  package func changes(after mark: HubMark?) async throws -> HubChanges {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      let last = mark.flatMap(PostgresMark.init)
      // Without a mark only what may still come into sight is looked at.
      let rows = try ask(
        Self.changed, [.number(space), .number(last.map { $0.time - Self.overlap } ?? -1)])
      do { return try changes(rows, after: last) } catch { throw told(error) }
    }
  }

  private static let changed = PostgresStatement(
    """
    WITH c AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now),
    l AS (
      SELECT session, version, at FROM keepsake.log
      WHERE space = $1::integer
        AND at > (CASE WHEN $2::bigint < 0 THEN (SELECT now FROM c) - \(overlap) ELSE $2::bigint END)
      ORDER BY at LIMIT \(most + 1))
    SELECT (SELECT now FROM c), (SELECT count(*) FROM l), g.session, g.version, g.at
    FROM (VALUES (1)) o LEFT JOIN (
      SELECT session, max(version) AS version, max(at) AS at FROM l GROUP BY session) g ON true
    """)

  private func changes(_ rows: [PostgresRow], after last: PostgresMark?) throws -> HubChanges {
    guard let first = rows.first else { throw PostgresFailure.strange("no row") }
    let now = try first.number(0)
    var next = PostgresMark(time: last?.time ?? now)
    var changed: [UUID: (version: Int64, at: Int64)] = [:]
    for row in rows where !row.isNull(2) {
      let at = try row.number(4)
      changed[try row.id(2)] = (try row.number(3), at)
      next.time = max(next.time, min(at, now))
    }
    // A clock that went back, as after a failover, and an answer that was cut, tell too little.
    let isShort = try first.number(1) > Self.most || (last?.time ?? 0) > now + Self.overlap
    if isShort { next.time = now }
    next.seen = changed.filter { $0.value.at > next.time - Self.overlap }.mapValues(\.version)
    var told: [UUID: Int64] = [:]
    if let last {
      for (session, (version, _)) in changed where last.seen[session] ?? 0 < version {
        told[session] = version
      }
    }
    return HubChanges(sessions: told, mark: next.mark, mayHaveMissed: last == nil || isShort)
  }
}
