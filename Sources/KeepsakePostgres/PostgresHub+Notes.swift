#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

/// A hub in a database keeps each note as a row, with the time at which the note was left.
extension PostgresHub {
  package func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try HubNote.check(text)
    try Task.checkCancellation()
    _ = try await threads.run { [self] in
      // The note's text is kept as bytes, because a text of the database can't hold a zero byte.
      try ask(
        Self.leaving, [.number(space), .text(kind.rawValue), .id(id), .bytes(Array(text.utf8))])
    }
  }

  package func notes(_ kind: HubNote.Kind) async throws -> [HubNote] {
    try Task.checkCancellation()
    return try await threads.run { [self] in
      let rows = try ask(Self.notes, [.number(space), .text(kind.rawValue)])
      do {
        return try rows.map {
          HubNote(
            kind: kind, id: try $0.id(0), text: try $0.text(1),
            age: .microseconds(max(0, try $0.number(2))))
        }
      } catch { throw told(error) }
    }
  }

  package func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try Task.checkCancellation()
    _ = try await threads.run { [self] in
      try ask(Self.removalOfNotes, [.number(space), .text(kind.rawValue), .list(of: ids)])
    }
  }

  private static let leaving = PostgresStatement(
    """
    INSERT INTO keepsake.note (space, kind, id, at, text)
    VALUES ($1::integer, $2::text, $3::uuid, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $4::bytea)
    ON CONFLICT (space, kind, id) DO UPDATE SET at = excluded.at, text = excluded.text
    """, isWriting: true)

  private static let notes = PostgresStatement(
    """
    SELECT id, text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - at
    FROM keepsake.note WHERE space = $1::integer AND kind = $2::text ORDER BY id
    """)

  private static let removalOfNotes = PostgresStatement(
    "DELETE FROM keepsake.note WHERE space = $1::integer AND kind = $2::text AND id = ANY ($3::uuid[])",
    isWriting: true)
}
