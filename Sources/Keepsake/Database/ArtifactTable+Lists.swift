#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension ArtifactTable {
  /// Finds the artifacts in a range of digests, up to the number of candidates that are shown, and counts all of them.
  func rows(in range: ClosedRange<SHA256Digest>) throws -> (found: [ArtifactRow], count: Int) {
    let find = try db.prepare(
      text: """
        SELECT \(ArtifactRow.columns) FROM artifact AS f WHERE f.digest BETWEEN ? AND ?
        LIMIT \(Candidates.limit)
        """)
    find.bind(range.lowerBound)
    find.bind(range.upperBound)
    var found: [ArtifactRow] = []
    while try find.step() { found.append(try ArtifactRow(find)) }
    guard found.count > 1 else { return (found, found.count) }
    let all = try db.prepare("SELECT count(*) FROM artifact WHERE digest BETWEEN ? AND ?")
    all.bind(range.lowerBound)
    all.bind(range.upperBound)
    return (found, try all.step() ? all.int() : found.count)
  }

  /// Lists artifacts with their attachments, newest first, except for texts of entries that are kept as artifacts.
  ///
  /// - Parameters:
  ///   - type: The type of the bytes; nil for all.
  ///   - limit: The most artifacts.
  ///   - number: The number below which the list begins.
  /// - Returns: The artifacts with their numbers.
  func summaries(ofType type: String?, limit: Int, below number: Int64) throws -> [(
    number: Int64, summary: Artifact.Summary
  )] {
    let find = try db.prepare(text: Self.list(hasType: type != nil))
    if let type { find.bind(type, at: 4) }
    find.bind(number, at: 1)
    find.bind(Entry.Attachment.Direction.content.code, at: 2)
    find.bind(limit, at: 3)
    var found: [(number: Int64, summary: Artifact.Summary)] = []
    while try find.step() {
      let row = try ArtifactRow(find)
      found.append((row.number, try summary(of: row, created: find.int64(7))))
    }
    return found
  }

  /// Returns the query of ``summaries(ofType:limit:below:)``.
  static func list(hasType: Bool) -> String {
    """
    SELECT \(ArtifactRow.columns), f.created FROM artifact AS f WHERE f.number < ?1
      \(hasType ? "AND (f.type = ?4 OR substr(f.type, 1, length(?4) + 1) = ?4 || '/')" : "")
      AND (EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number AND direction <> ?2)
        OR NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number))
    ORDER BY f.number DESC LIMIT ?3
    """
  }

  private func summary(of row: ArtifactRow, created: Int64) throws -> Artifact.Summary {
    let find = try db.prepare(
      "SELECT media_type, state, tool, direction FROM attachment WHERE artifact = ? ORDER BY number"
    )
    find.bind(row.number)
    var uses = 0
    var newest: (type: String?, state: Int)?
    var tool: String?
    while try find.step() {
      guard find.int(3) != Entry.Attachment.Direction.content.code else { continue }
      uses += 1
      newest = (find.optionalText(0), find.int(1))
      if tool == nil { tool = find.optionalText(2) }
    }
    return Artifact.Summary(
      id: Artifact.ID(row.digest), size: row.size,
      sniffedType: MediaType(row.type ?? "application/octet-stream"),
      mediaType: newest?.type.map { MediaType($0) }, pixelSize: row.pixels,
      created: Date(microseconds: created), uses: uses, tool: tool,
      state: try newest.map {
        try .init(code: $0.state, of: "an attachment of \(row.digest.hex)")
      })
  }
}

// MARK: - Large artifacts

extension ArtifactTable {
  /// Lists the digests of the large artifacts of a size, up to a limit.
  func largeDigests(ofSize size: Int64, limit: Int) throws -> [SHA256Digest] {
    let find = try db.prepare("SELECT digest FROM artifact WHERE place = 1 AND size = ? LIMIT ?")
    find.bind(size)
    find.bind(limit)
    var found: [SHA256Digest] = []
    while try find.step() { if let digest = find.digest() { found.append(digest) } }
    return found
  }

  /// Returns the bytes of all large artifacts together; nil if SQLite gives no sum.
  func largeBytes() throws -> Int64? {
    try db.integer("SELECT coalesce(sum(size), 0) FROM artifact WHERE place = 1")
  }

  /// Returns the bytes of the large ones among the newest 256 artifacts.
  func newestLargeBytes() throws -> Int64 {
    try db.integer(
      """
      SELECT coalesce(sum(size), 0) FROM (
        SELECT size, place FROM artifact ORDER BY number DESC LIMIT 256) WHERE place = 1
      """) ?? 0
  }

  /// A large artifact, as far as its file has to be found and copied.
  struct Large {
    let number: Int64
    let digest: SHA256Digest
    let size: Int64
  }

  /// Lists the next 256 large artifacts after a number, by their numbers.
  func large(after last: Int64) throws -> [Large] {
    let find = try db.prepare(
      """
      SELECT number, digest, size FROM artifact WHERE place = 1 AND number > ?
      ORDER BY number LIMIT 256
      """)
    find.bind(last)
    var rows: [Large] = []
    while try find.step() {
      if let digest = find.digest(1) {
        rows.append(
          Large(number: find.int64(0), digest: digest, size: try find.int64(2, in: .size)))
      }
    }
    return rows
  }
}
