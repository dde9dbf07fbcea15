#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake
import KeepsakeFiles

extension PostgresHub {
  /// The most versions, and about the most bytes, of one answer.
  private static let page = (versions: 256, bytes: 32 << 20)

  package func versions(
    of session: UUID, after version: Int64, bytes limit: Int
  ) async throws -> HubVersions {
    try Task.checkCancellation()
    let after = max(0, version)
    let coming = try await threads.run { [self] in
      let request = request(reading: session, after: after, bytes: limit)
      return try reaching { connection in
        var coming = ComingVersions { [self] in self.version(of: session, $0) }
        try connection.run(request, within: patience.statement, into: &coming)
        return coming
      }
    }
    let read = await coming.versions()
    do { return try versions(of: session, after: after, coming.rows, read) } catch {
      throw told(error)
    }
  }

  /// The statement that reads versions of a session, with its values.
  package func request(
    reading session: UUID, after version: Int64, bytes limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      Self.read,
      [
        .number(space), .id(session), .number(version),
        .number(Int64(max(0, min(limit, Self.page.bytes)))), .id(identity.id),
      ])
  }

  /// Reads the head of a session with the number of its last version, and versions behind a number, with the stamp before them. The server
  /// gives the versions in any order.
  private static let read = PostgresStatement(
    """
    SELECT h.version, h.stamp, h.base, h.seal, e.version, b.stamp,
      l.version, l.stamp, l.base, l.digest, l.seal, l.bytes
    FROM (VALUES (1)) o
    LEFT JOIN keepsake.head h ON h.space = $1::integer AND h.session = $2::uuid
    LEFT JOIN LATERAL (
      SELECT version FROM keepsake.log WHERE space = $1::integer AND session = $2::uuid
      ORDER BY version DESC LIMIT 1) e ON true
    LEFT JOIN keepsake.log b ON b.space = $1::integer AND b.session = $2::uuid AND b.version = $3::bigint AND b.seal =
      \(PostgresSeal.sql(
        space: "$5::uuid", session: "$2::uuid", version: "b.version", stamp: "b.stamp", base: "b.base",
        digest: "b.digest"))
    LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT *, row_number() OVER o AS place, sum(octet_length(bytes)) OVER o - octet_length(bytes) AS before
        FROM (
          SELECT * FROM keepsake.log WHERE space = $1::integer AND session = $2::uuid AND version > $3::bigint
          ORDER BY version LIMIT \(page.versions)) p
        WINDOW o AS (ORDER BY version ROWS UNBOUNDED PRECEDING)) q
      WHERE place = 1 OR before < $4::bigint) l ON true
    """)

  /// Reads versions in an answer to ``request(reading:after:bytes:)``.
  func versions(
    of session: UUID, after: Int64, _ rows: [PostgresRow],
    _ read: [ComingVersions.Reading]
  ) throws -> HubVersions {
    guard let first = rows.first else { throw PostgresFailure.strange("no row") }
    guard let newest = try head(of: session, first) else {
      return HubVersions(versions: [], newest: 0)
    }
    var found: [HubVersion] = []
    let before = try first.optionalID(5)
    var base = before
    // The statement does not sort the rows, because a server that sorts rows sends none before it has all of them.
    let numbers = rows.map { (try? $0.number(6)) ?? .max }
    for (number, read) in zip(numbers, read).sorted(by: { $0.0 < $1.0 }) {
      guard let read else { continue }
      let next = after + 1 + Int64(found.count)
      do {
        guard number == next else { throw gone(next, session) }
        let version = try read.get()
        guard next == 1 ? version.base == nil : base == nil || version.base == base else {
          throw altered(next, session, "it does not build on the version before it")
        }
        guard next < newest.version || version.stamp == newest.stamp else {
          throw altered(next, session, "it is not the one that the session's head names")
        }
        found.append(version)
        base = version.stamp
      } catch {
        // The versions before the faulty one are right, and come first. The next call begins at the faulty one, and throws.
        guard found.isEmpty else { break }
        throw error
      }
    }
    if found.isEmpty, after < newest.version { throw gone(after + 1, session) }
    return HubVersions(versions: found, newest: newest.version, before: before)
  }

  /// Checks the head of a session in an answer; nil where the session is not there.
  private func head(of session: UUID, _ row: PostgresRow) throws -> HubHead? {
    guard !row.isNull(0) else {
      guard row.isNull(4) else { throw damaged(session, "the row of its newest version is gone") }
      return nil
    }
    let (version, stamp, base) = try (row.number(0), row.id(1), row.optionalID(2))
    guard try row.digest(3) == seal.head(session, version, stamp, base) else {
      throw damaged(session, "the row of its newest version was altered")
    }
    let last = row.isNull(4) ? 0 : try row.number(4)
    guard last <= version else {
      throw damaged(session, "version \(last) is there, and its head names version \(version)")
    }
    return HubHead(session: session, version: version, stamp: stamp)
  }

  /// Reads the version in a row, and checks that the row says what was written; nil for a row without a version.
  func version(of session: UUID, _ row: PostgresRow) -> ComingVersions.Reading {
    if row.isNull(6) { return nil }
    return Result {
      let (number, stamp, base) = try (row.number(6), row.id(7), row.optionalID(8))
      let (digest, bytes) = try (row.digest(9), row.bytes(11))
      guard let digest,
        try row.digest(10) == seal.version(session, number, stamp, base, digest: digest)
      else { throw altered(number, session, "what it says of itself") }
      guard
        let version = HubVersion(
          version: number, stamp: stamp, base: base, bytes: bytes, digest: digest)
      else { throw altered(number, session, "its bytes are not those that were written") }
      return version
    }
  }

  private func gone(_ version: Int64, _ session: UUID) -> KeepsakeError {
    damaged(session, "version \(version) is gone")
  }

  private func altered(_ version: Int64, _ session: UUID, _ reason: String) -> KeepsakeError {
    damaged(session, "the row of version \(version) was altered: \(reason)")
  }
}

// MARK: - Directory

extension PostgresHub {
  private static let directoryPage = 5000

  package func directory() async throws -> HubDirectory {
    var all = HubDirectory()
    var next: UUID? = .first
    while let start = next {
      try Task.checkCancellation()
      // A page at a time, so that neither side has to hold a million rows.
      let rows = try await threads.run { [self] in
        try ask(Self.list, [.number(space), .id(start), .id(identity.id)])
      }
      do { for row in rows { try add(row, to: &all) } } catch { throw told(error) }
      next = nil
      if rows.count == Self.directoryPage, let last = rows.last {
        do { next = try last.id(0).next } catch { throw told(error) }
      }
    }
    return all
  }

  package func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try Task.checkCancellation()
    let wanted = Array(Set(sessions))
    let rows = try await threads.run { [self] in
      try ask(Self.some, [.number(space), .list(of: wanted), .id(identity.id)])
    }
    var directory = HubDirectory()
    do { for row in rows { try add(row, to: &directory) } } catch { throw told(error) }
    return directory
  }

  private static let list = newest(
    of: """
      SELECT session, version, stamp, base, seal FROM keepsake.head
      WHERE space = $1::integer AND session >= $2::uuid ORDER BY session LIMIT \(directoryPage)
      """)

  static let some = newest(
    of: """
      SELECT k.* FROM unnest($2::uuid[]) o (session), LATERAL (
        SELECT session, version, stamp, base, seal FROM keepsake.head
        WHERE space = $1::integer AND session = o.session OFFSET 0) k
      """)

  /// Reads the newest versions of sessions whose rows a query gives, without their bytes.
  private static func newest(of heads: String) -> PostgresStatement {
    PostgresStatement(
      """
      SELECT h.session, h.version, h.stamp, h.base, h.seal, l.version, l.stamp,
        l.seal = \(PostgresSeal.sql(
          space: "$3::uuid", session: "h.session", version: "l.version", stamp: "l.stamp", base: "l.base",
          digest: "l.digest"))
      FROM (\(heads)) h
      LEFT JOIN LATERAL (
        SELECT version, stamp, base, digest, seal FROM keepsake.log v
        WHERE v.space = $1::integer AND v.session = h.session ORDER BY version DESC LIMIT 1) l ON true
      ORDER BY h.session
      """)
  }

  private func add(_ row: PostgresRow, to all: inout HubDirectory) throws {
    let (session, version, stamp) = try (row.id(0), row.number(1), row.id(2))
    guard try row.digest(4) == seal.head(session, version, stamp, row.optionalID(3)) else {
      all.failures[session] = damaged(session, "the row of its newest version was altered")
      return
    }
    guard !row.isNull(5), try row.number(5) >= version else {
      all.failures[session] = gone(version, session)
      return
    }
    guard try row.number(5) == version, try row.id(6) == stamp, try row.bool(7) else {
      all.failures[session] = altered(
        try row.number(5), session, "it is not the one that the session's head names")
      return
    }
    all.heads.append(HubHead(session: session, version: version, stamp: stamp))
  }
}
