#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Finds an artifact by its id.
  ///
  /// - Parameter id: The artifact's id.
  /// - Returns: The artifact, without its bytes.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the store does not know the artifact.
  @concurrent
  public func artifact(_ id: Artifact.ID) async throws -> Artifact {
    let core = core
    return try core.read { db in
      guard let row = try core.artifacts.row(id.digest, in: db) else {
        throw KeepsakeError.noArtifact(id)
      }
      return row.value(core)
    }
  }

  /// Finds the artifact whose id begins with some hexadecimal digits, as people type them.
  ///
  /// - Parameter prefix: The first digits, with or without `sha256:` before them.
  /// - Returns: The artifact, without its bytes.
  /// - Throws: A ``KeepsakeError`` if the digits are malformed, or match no artifact or several.
  @concurrent
  public func artifact(matching prefix: String) async throws -> Artifact {
    let scheme = "sha256:"
    let digits = prefix.hasPrefix(scheme) ? String(prefix.dropFirst(scheme.count)) : prefix
    guard !digits.isEmpty, let range = Artifact.ID.range(beginning: digits) else {
      throw KeepsakeError(
        .invalid,
        "'\(prefix)' is not the beginning of an artifact's name: it takes up to 64 hexadecimal digits.",
        object: prefix)
    }
    let core = core
    let (found, count) = try core.read { db in
      let find = try db.prepare(
        text: """
          SELECT \(ArtifactRow.columns) FROM artifact AS f WHERE f.digest BETWEEN ? AND ?
          LIMIT \(Candidates.limit)
          """)
      find.bind(range.lowerBound)
      find.bind(range.upperBound)
      var found: [Artifact] = []
      while try find.step() { found.append(try ArtifactRow(find).value(core)) }
      guard found.count > 1 else { return (found, found.count) }
      let all = try db.prepare("SELECT count(*) FROM artifact WHERE digest BETWEEN ? AND ?")
      all.bind(range.lowerBound)
      all.bind(range.upperBound)
      return (found, try all.step() ? all.int() : found.count)
    }
    guard let artifact = found.first else {
      throw KeepsakeError(.notFound, "No artifact's name begins with '\(prefix)'.", object: prefix)
    }
    guard found.count == 1 else {
      let candidates = Candidates(
        found.map { ($0.id.hex, $0.sniffedType.description) }, of: count)
      throw KeepsakeError(
        .conflict,
        "More than one artifact's name begins with '\(prefix)': \(candidates.text). Give more of it.",
        object: prefix)
    }
    return artifact
  }

  /// Lists all artifacts, newest first, a page at a time, except for texts of entries that are kept as artifacts.
  ///
  /// The cost of a page does not depend on the number of artifacts, but the cost of an artifact grows with its uses. With a
  /// type, a page costs a look at each newer artifact.
  /// - Parameters:
  ///   - type: The type of the bytes: "image", "audio", "video", or a whole media type. Nil for all.
  ///   - limit: The most artifacts of a page.
  ///   - cursor: The cursor at which the page before ended.
  /// - Returns: The page.
  @concurrent
  public func artifacts(
    ofType type: String? = nil, limit: Int = 50, after cursor: Artifact.Cursor? = nil
  ) async throws -> Artifact.Page {
    try core.read { db in
      let find = try db.prepare(text: Self.artifactList(hasType: type != nil))
      if let type { find.bind(type, at: 4) }
      find.bind(cursor?.number ?? .max, at: 1)
      find.bind(Entry.Attachment.Direction.content.code, at: 2)
      find.bind(limit == .max ? .max : max(0, limit) + 1, at: 3)
      var found: [(number: Int64, summary: Artifact.Summary)] = []
      while try find.step() {
        let row = try ArtifactRow(find)
        found.append((row.number, try Artifact.Summary(row, created: find.int64(7), in: db)))
      }
      let next = found.count > limit && limit > 0 ? found[limit - 1].number : nil
      return Artifact.Page(
        artifacts: found.prefix(max(0, limit)).map(\.summary),
        next: next.map(Artifact.Cursor.init(number:)))
    }
  }

  static func artifactList(hasType: Bool) -> String {
    """
    SELECT \(ArtifactRow.columns), f.created FROM artifact AS f WHERE f.number < ?1
      \(hasType ? "AND (f.type = ?4 OR substr(f.type, 1, length(?4) + 1) = ?4 || '/')" : "")
      AND (EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number AND direction <> ?2)
        OR NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number))
    ORDER BY f.number DESC LIMIT ?3
    """
  }
}

extension Session {
  /// Whether the session's store knows an artifact. Blocks while it reads.
  package func storeHolds(_ id: Artifact.ID) throws -> Bool {
    let core = core
    return try core.read { try core.artifacts.row(id.digest, in: $0) } != nil
  }
}

extension Artifact.Summary {
  fileprivate init(_ row: ArtifactRow, created: Int64, in db: Tables) throws {
    id = Artifact.ID(row.digest)
    size = row.size
    sniffedType = MediaType(row.type ?? "application/octet-stream")
    pixelSize = row.pixels
    self.created = Date(microseconds: created)
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
    self.uses = uses
    self.tool = tool
    mediaType = newest?.type.map { MediaType($0) }
    state = try newest.map { try .init(code: $0.state, of: "an attachment of \(row.digest.hex)") }
  }
}

extension KeepsakeError {
  static func noArtifact(_ id: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .notFound, "The store does not hold \(id).", remedy: .listArtifacts,
      object: id.description)
  }
}
