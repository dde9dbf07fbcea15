package import Keepsake
import KeepsakeFiles

extension PostgresHub {
  package func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      try reaching { try missing(of: artifacts, $0) }
    }
  }

  package func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    try await carriers.run { [self] in
      if try isThere(artifact) { return }
      var upload = PostgresUpload(artifact, hub: self)
      do {
        // An error of the caller's closure is given back as it is.
        try hand { bytes in
          do { try upload.take(bytes) } catch { throw told(error) }
        }
        do { try upload.finish() } catch { throw told(error) }
      } catch {
        upload.abandon()
        throw error
      }
    }
  }

  package func get(
    _ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    try await carriers.run { [self] in
      do { try read(artifact, take) } catch let failure as PostgresFailure { throw told(failure) }
    }
  }

}

// MARK: - Statements

extension PostgresHub {
  private static let chunk = 10_000
  /// The number of parts that are read at a time.
  private static let partsAtOnce: Int32 = 4

  private static let known = PostgresStatement(
    """
    SELECT digest FROM keepsake.artifact
    WHERE space = $1::integer AND digest = ANY ($2::bytea[]) AND NOT is_going
    """)

  private static let find = PostgresStatement(
    """
    SELECT size, bytes, uuid_send(key) FROM keepsake.artifact
    WHERE space = $1::integer AND digest = $2::bytea
    """)

  private static let parts = PostgresStatement(
    """
    SELECT number, bytes FROM keepsake.artifact_part
    WHERE space = $1::integer AND key = $2::uuid AND number >= $3::integer AND number < $3::integer + \(partsAtOnce)
    ORDER BY number
    """)

  /// Locks the row of an artifact, so that what it says lasts, and tells whether its bytes are right. A large one is right when
  /// the digests of its parts are those that were there when the whole was put.
  private static let check = PostgresStatement(
    """
    WITH a AS MATERIALIZED (
      SELECT digest, size, bytes, key, seal, is_going FROM keepsake.artifact
      WHERE space = $1::integer AND digest = $2::bytea FOR SHARE)
    SELECT CASE WHEN a.bytes IS NOT NULL THEN sha256(a.bytes) = a.digest ELSE coalesce((
      SELECT sha256(string_agg(sha256(p.bytes), ''::bytea ORDER BY p.number)) = a.seal AND sum(octet_length(p.bytes)) = a.size
      FROM keepsake.artifact_part p WHERE p.space = $1::integer AND p.key = a.key), false) END, a.is_going
    FROM a
    """, isWriting: true)

  private static let removal = removal("", "")

  /// Removes artifacts with their parts.
  /// - Parameters:
  ///   - join: A join to the rows of the artifacts, which have the alias `t`.
  ///   - condition: A further condition that a row has to meet.
  static func removal(_ join: String, _ condition: String) -> PostgresStatement {
    PostgresStatement(
      """
      WITH a AS MATERIALIZED (
        SELECT t.digest, t.key FROM keepsake.artifact t \(join)
        WHERE t.space = $1::integer AND t.digest = ANY ($2::bytea[]) \(condition) ORDER BY t.digest FOR UPDATE OF t),
      p AS (
        DELETE FROM keepsake.artifact_part p USING a WHERE p.space = $1::integer AND p.key = a.key)
      DELETE FROM keepsake.artifact t USING a WHERE t.space = $1::integer AND t.digest = a.digest
      """, isWriting: true)
  }

  static func chunks<Element>(_ all: [Element]) -> [ArraySlice<Element>] {
    stride(from: 0, to: all.count, by: chunk).map { all[$0..<min(all.count, $0 + chunk)] }
  }

  /// Returns those of the artifacts that are not there, in their order.
  func missing(
    of artifacts: [Artifact.ID], _ connection: PostgresSession
  ) throws -> [Artifact.ID] {
    var here: Set<[UInt8]> = []
    for some in Self.chunks(artifacts) {
      let rows = try connection.run(
        Self.known, [.number(space), .list(of: some.map(\.digest.bytes))],
        within: patience.statement)
      for row in rows { here.insert(try row.bytes(0)) }
    }
    return artifacts.filter { !here.contains($0.digest.bytes) }
  }

  /// Tells whether the right bytes of an artifact are there, durably. Those that are about to be removed stay then. Wrong ones are
  /// removed, so that the right ones replace them.
  func isThere(_ artifact: Artifact.ID) throws -> Bool {
    let rows = try ask(Self.check, [.number(space), .bytes(artifact.digest.bytes)])
    guard let row = rows.first else { return false }
    let (isRight, isGoing): (Bool, Bool)
    do { (isRight, isGoing) = try (row.bool(0), row.bool(1)) } catch { throw told(error) }
    if isRight {
      guard isGoing else { return true }
      _ = try ask(Self.keeping, [.number(space), .list(of: [artifact.digest.bytes])])
      // Another store may have removed the artifact before its mark was taken away.
      return try isThere(artifact)
    }
    _ = try ask(Self.removal, [.number(space), .list(of: [artifact.digest.bytes])])
    return false
  }

  private func read(_ artifact: Artifact.ID, _ take: ([UInt8]) throws -> Void) throws {
    guard let row = try ask(Self.find, [.number(space), .bytes(artifact.digest.bytes)]).first
    else { throw gone(artifact) }
    var hash = SHA256()
    if row.isNull(1) {
      try takeParts(of: artifact, key: row.bytes(2)) { bytes in
        hash.update(bytes)
        try take(bytes)
      }
    } else {
      let bytes = try row.bytes(1)
      hash.update(bytes)
      if !bytes.isEmpty { try take(bytes) }
    }
    guard hash.finalize() == artifact.digest else { throw altered(artifact) }
  }

  private func takeParts(
    of artifact: Artifact.ID, key: [UInt8], _ take: ([UInt8]) throws -> Void
  ) throws {
    var next: Int32 = 0
    while true {
      let rows = try ask(Self.parts, [.number(space), .bytes(key), .number(next)])
      for row in rows {
        guard try row.number(0) == next else { throw altered(artifact) }
        try take(try row.bytes(1))
        next += 1
      }
      if rows.count < Self.partsAtOnce { return }
    }
  }

  private func gone(_ artifact: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .artifactMissing, "The hub at '\(address)' does not have \(artifact).",
      object: artifact.description)
  }

  private func altered(_ artifact: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .artifactDamaged,
      "The bytes of \(artifact) in the hub at '\(address)' were altered. A store that has the artifact can put it again.",
      object: artifact.description, cause: HubFault.damaged(session: nil))
  }
}
