#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension EntryReader {
  /// An earlier content of an entry, as it is stored.
  struct Revision {
    let number: Int
    let replaced: Date
    let entry: Entry
  }

  /// Reads the earlier contents of an entry that the session shows, the oldest first.
  /// - Parameters:
  ///   - position: The position of the entry.
  ///   - current: The entry as it is now, whose other properties the earlier contents have, too.
  func revisions(of position: Int, _ current: Entry) throws -> [Revision] {
    let find = try db.connection.prepare(
      """
      SELECT number, replaced, status, lane, author, model, body FROM revision
      WHERE entry = ? AND until <= ? ORDER BY number
      """)
    find.bind(lineage.id(of: position))
    // A fork's newest content may have been replaced in its parent since.
    find.bind(lineage.owner(of: position).changes ?? .max)
    var revisions: [Revision] = []
    while try find.step() {
      var entry = Entry(current.kind, id: current.id, created: current.created)
      entry.position = current.position
      entry.turn = current.turn
      entry.visibility = current.visibility
      entry.attachments = current.attachments
      entry.key = current.key
      let number = try find.int(in: .ordinal)
      let replaced = Date(microseconds: find.int64())
      entry.status = try .init(code: find.int(), of: "a revision")
      entry.lane = find.optionalText()
      entry.author = find.optionalText()
      entry.model = find.optionalText()
      let body = find.position()
      entry.isErased = find.isNull(body)
      if !entry.isErased, try EntryBody.decode(find.span(body), into: &entry) {
        try keeper.resolveLargeTexts(of: &entry, in: db)
      }
      revisions.append(Revision(number: number, replaced: replaced, entry: entry))
    }
    return revisions
  }
}
