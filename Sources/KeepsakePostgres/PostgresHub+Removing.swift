package import Keepsake
import KeepsakeFiles

/// Listing and removing artifacts.
///
/// An artifact is marked first as one that is going, which waits for every commit that has its row locked. From then on commits
/// lack it. Whoever puts it again takes the mark away.
///
/// Several stores may remove one artifact at once. The one that marked it last decides, because it looks at the sessions after all
/// others: each removal takes away only rows that nobody has changed since it marked them. A row's `xmin` says who changed it last.
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
    let marks = try await mark(artifacts)
    let kept: Set<Artifact.ID>
    do { kept = try await needed() } catch {
      try await keep(artifacts)
      throw error
    }
    try await keep(artifacts.filter(kept.contains))
    try await remove(marks.filter { !kept.contains($0.artifact) })
  }

  /// A mark on an artifact's row that says that it is going.
  private struct Mark: Sendable {
    let artifact: Artifact.ID
    /// The number of the transaction that made the mark.
    let transaction: Int64
  }

  /// Marks the artifacts that are there.
  private func mark(_ artifacts: [Artifact.ID]) async throws -> [Mark] {
    try await threads.run { [self] in
      var marks: [Mark] = []
      for some in Self.chunks(artifacts) {
        let rows = try ask(Self.marking, [.number(space), .list(of: some.map(\.digest.bytes))])
        do {
          for row in rows {
            guard let digest = SHA256Digest(bytes: try row.bytes(0)) else {
              throw PostgresFailure.strange("an artifact has a name that is none")
            }
            marks.append(Mark(artifact: .init(digest), transaction: try row.number(1)))
          }
        } catch { throw told(error) }
      }
      return marks
    }
  }

  /// Takes away the marks of artifacts, whoever made them.
  private func keep(_ artifacts: [Artifact.ID]) async throws {
    try await threads.run { [self] in
      for some in Self.chunks(artifacts) {
        _ = try ask(Self.keeping, [.number(space), .list(of: some.map(\.digest.bytes))])
      }
    }
  }

  /// Removes the artifacts whose rows have the marks still.
  private func remove(_ marks: [Mark]) async throws {
    try await threads.run { [self] in
      for some in Self.chunks(marks) {
        _ = try ask(
          Self.removalOfMarked,
          [
            .number(space), .list(of: some.map(\.artifact.digest.bytes)),
            .list(of: some.map { Optional($0.transaction) }),
          ])
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

  /// A row that is marked already is marked again, which makes the mark that of this statement.
  private static func marking(_ isGoing: Bool) -> PostgresStatement {
    PostgresStatement(
      """
      WITH a AS MATERIALIZED (
        SELECT digest FROM keepsake.artifact
        WHERE space = $1::integer AND digest = ANY ($2::bytea[]) ORDER BY digest FOR UPDATE)
      UPDATE keepsake.artifact t SET is_going = \(isGoing)
      FROM a WHERE t.space = $1::integer AND t.digest = a.digest \(isGoing ? "" : "AND t.is_going")
      RETURNING t.digest, t.xmin::text::bigint
      """, isWriting: true)
  }

  private static let removalOfMarked = removal(
    "JOIN unnest($2::bytea[], $3::bigint[]) m (digest, mark) USING (digest)",
    "AND t.is_going AND t.xmin::text::bigint = m.mark")
}
