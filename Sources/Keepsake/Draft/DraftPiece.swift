#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The new text of a draft, as one write stores it.
struct DraftPiece: Sendable {
  let draft: Int64
  /// The draft's own id, because its number may belong to another draft by the time of the write.
  let id: UUID
  let number: Int
  let keep: Int
  let text: String
  let schema: String?

  func insert(in db: Tables) throws {
    let insert = try db.prepare(
      """
      INSERT INTO draft_piece (draft, number, keep, text)
      SELECT number, ?, ?, ? FROM draft WHERE number = ? AND uuid = ?
      """)
    insert.bind(number)
    insert.bind(keep)
    insert.bind(text)
    insert.bind(draft)
    insert.bind(id.bytes)
    try insert.run()
    guard let schema else { return }
    let update = try db.prepare(
      "UPDATE draft SET schema = ?1 WHERE number = ?2 AND uuid = ?3 AND schema IS NOT ?1")
    update.bind(schema)
    update.bind(draft)
    update.bind(id.bytes)
    try update.run()
  }
}
