#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the tables of drafts and their pieces.
struct DraftTable {
  let db: Connection
}

extension Tables {
  var drafts: DraftTable { DraftTable(db: connection) }
}

// MARK: - Writing

extension DraftTable {
  /// Inserts a draft, and returns its number.
  func insert(
    _ id: UUID, turn: Int?, template: String, owner: UUID, of session: Int64
  ) throws -> Int64 {
    let insert = try db.prepare(
      """
      INSERT INTO draft (session, uuid, turn, template, owner) VALUES (?, ?, ?, ?, ?)
      """)
    insert.bind(session)
    insert.bind(id.bytes)
    insert.bind(turn)
    insert.bind(template)
    insert.bind(owner.bytes)
    try insert.run()
    return try Tables(db).insertedRow(in: .row)
  }

  /// Inserts new text of a draft, and nothing if the draft is gone.
  func insert(_ piece: DraftPiece) throws {
    let insert = try db.prepare(
      """
      INSERT INTO draft_piece (draft, number, keep, text)
      SELECT number, ?, ?, ? FROM draft WHERE number = ? AND uuid = ?
      """)
    insert.bind(piece.number)
    insert.bind(piece.keep)
    insert.bind(piece.text)
    insert.bind(piece.draft)
    insert.bind(piece.id.bytes)
    try insert.run()
    guard let schema = piece.schema else { return }
    let update = try db.prepare(
      "UPDATE draft SET schema = ?1 WHERE number = ?2 AND uuid = ?3 AND schema IS NOT ?1")
    update.bind(schema)
    update.bind(piece.draft)
    update.bind(piece.id.bytes)
    try update.run()
  }

  /// Deletes a draft and its text.
  func delete(_ draft: Int64) throws {
    for sql in ["DELETE FROM draft_piece WHERE draft = ?", "DELETE FROM draft WHERE number = ?"] {
      let delete = try db.prepare(text: sql)
      delete.bind(draft)
      try delete.run()
    }
  }
}

// MARK: - Reading

extension DraftTable {
  /// A draft, as it is stored.
  struct Row {
    let number: Int64
    let template: Entry
    let text: String
    let schema: String?
    /// The id of the open store that streams the draft.
    let owner: UUID
  }

  /// Lists the drafts of a session, the oldest first.
  func rows(of session: Int64) throws -> [Row] {
    let find = try db.prepare(
      """
      SELECT number, uuid, template, schema, owner FROM draft WHERE session = ? ORDER BY number
      """)
    find.bind(session)
    var drafts: [Row] = []
    while try find.step() {
      let number = find.int64(0)
      guard let id = UUID(bytes: find.bytes(1)), let owner = UUID(bytes: find.bytes(4)) else {
        throw KeepsakeError(
          .damaged, "Draft \(number) has lost its identifier.", remedy: .verify)
      }
      var template: Entry
      do { template = try Entry(json: JSON(validating: find.text(2))) } catch {
        throw KeepsakeError(
          .damaged, "Draft \(number) does not say what it is of.", remedy: .verify,
          cause: error)
      }
      template.id = id
      drafts.append(
        Row(
          number: number, template: template, text: try text(of: number),
          schema: find.optionalText(3), owner: owner))
    }
    return drafts
  }

  private func text(of draft: Int64) throws -> String {
    let find = try db.prepare("SELECT keep, text FROM draft_piece WHERE draft = ? ORDER BY number")
    find.bind(draft)
    var bytes: [UInt8] = []
    while try find.step() {
      bytes.removeLast(max(0, bytes.count - (try find.int(in: .size))))
      bytes += find.bytes()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
