#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension DraftTable {
  /// Finds the drafts of a session: the ids of each and of its owner, and the number of its stored pieces.
  func marks(in session: Int64) throws -> [(number: Int64, id: UUID?, owner: UUID?, pieces: Int)] {
    let find = try db.prepare(
      """
      SELECT number, uuid, owner, (SELECT count(*) FROM draft_piece WHERE draft = draft.number)
      FROM draft WHERE session = ? ORDER BY number
      """)
    find.bind(session)
    var marks: [(number: Int64, id: UUID?, owner: UUID?, pieces: Int)] = []
    while try find.step() {
      marks.append(
        (find.int64(), UUID(bytes: find.span()), UUID(bytes: find.span()), find.int()))
    }
    return marks
  }
}
