#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Store {
  /// Finds an artifact by its id.
  ///
  /// - Parameter id: The artifact's id.
  /// - Returns: The artifact, without its bytes.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the store does not know the artifact.
  @concurrent
  public func artifact(_ id: Artifact.ID) async throws -> Artifact {
    let handle = handle
    return try handle.read { db in
      guard let row = try handle.artifacts.row(id.digest, in: db) else {
        throw KeepsakeError.noArtifact(id)
      }
      return row.value(handle)
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
    let handle = handle
    let (found, count) = try handle.read { db in
      let (found, count) = try db.artifacts.rows(in: range)
      return (found.map { $0.value(handle) }, count)
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
    try handle.read { db in
      let found = try db.artifacts.summaries(
        ofType: type, limit: limit == .max ? .max : max(0, limit) + 1,
        below: cursor?.number ?? .max)
      let next = found.count > limit && limit > 0 ? found[limit - 1].number : nil
      return Artifact.Page(
        artifacts: found.prefix(max(0, limit)).map(\.summary),
        next: next.map(Artifact.Cursor.init(number:)))
    }
  }
}

extension Session {
  /// Returns whether the session's store knows an artifact. Blocks while it reads.
  package func storeHolds(_ id: Artifact.ID) throws -> Bool {
    let handle = handle
    return try handle.read { try handle.artifacts.row(id.digest, in: $0) } != nil
  }
}

extension KeepsakeError {
  static func noArtifact(_ id: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .notFound, "The store does not hold \(id).", remedy: .listArtifacts,
      object: id.description)
  }
}
