package import Keepsake
import KeepsakeFiles

/// Listing and removing artifacts.
///
/// An artifact is marked first as one that is going, which waits for every commit that has its row locked. From then on commits
/// lack it. Whoever puts it again takes the mark away.
extension PostgresHub {
  private static let artifactPage = 5000

  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      let rows = try ask(
        Self.artifactList, [.number(space), .bytes(artifact?.digest.bytes ?? [])])
      do {
        return try rows.map { row in
          guard let digest = SHA256Digest(bytes: try row.bytes(0)) else {
            throw PostgresFailure.strange("an artifact has a name that is none")
          }
          return HubArtifact(
            id: Artifact.ID(digest), size: try row.number(1),
            age: .microseconds(max(0, try row.number(2))))
        }
      } catch { throw told(error) }
    }
  }

  package func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws {
    try Task.checkCancellation()
    try await run(Self.marking, on: artifacts)
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await run(Self.keeping, on: artifacts)
      throw error
    }
    try await run(Self.keeping, on: artifacts.filter(kept.contains))
    try await run(Self.removalOfGoing, on: artifacts.filter { !kept.contains($0) })
  }

  private func run(_ statement: PostgresStatement, on artifacts: [Artifact.ID]) async throws {
    try await threads.run { [self] in
      for some in Self.chunks(artifacts) {
        _ = try ask(statement, [.number(space), .list(of: some.map(\.digest.bytes))])
      }
    }
  }

  private static let artifactList = PostgresStatement(
    """
    SELECT digest, size, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - at
    FROM keepsake.artifact WHERE space = $1::integer AND digest > $2::bytea
    ORDER BY digest LIMIT \(artifactPage)
    """)

  private static let marking = marking(true)
  static let keeping = marking(false)

  private static func marking(_ isGoing: Bool) -> PostgresStatement {
    PostgresStatement(
      """
      WITH a AS MATERIALIZED (
        SELECT digest FROM keepsake.artifact
        WHERE space = $1::integer AND digest = ANY ($2::bytea[]) ORDER BY digest FOR UPDATE)
      UPDATE keepsake.artifact t SET is_going = \(isGoing)
      FROM a WHERE t.space = $1::integer AND t.digest = a.digest AND t.is_going <> \(isGoing)
      """, isWriting: true)
  }
}
