import KeepsakeFiles
import KeepsakeSQLite

/// The values in a restored session's row that are derived from the session's other rows.
struct RestoredFacts {
  let session: Int64
  private let entries: Int
  private let turns: Int
  private let attachments: Int
  private let labels: Int
  private let bytes: Int64
  private let model: String?
  private let preview: String?
  private let cover: Int64?
  private let hasOverlappingTurns: Bool

  init(of made: RestoreProgress.Made, in db: Tables) throws {
    let session = made.session
    self.session = session.number
    entries = made.next
    let content = Entry.Attachment.Direction.content.code
    let find = try db.prepare(
      """
      SELECT
        max(coalesce((SELECT max(turn) FROM entry WHERE id BETWEEN ?2 AND ?3), 0),
          coalesce((SELECT max(turn) FROM attachment WHERE session = ?1), 0),
          coalesce((SELECT max(turn) FROM invocation WHERE session = ?1), 0),
          coalesce((SELECT max(number) FROM turn WHERE session = ?1), 0)),
        (SELECT count(*) FROM attachment WHERE session = ?1 AND direction <> ?5 AND recorded > 0),
        coalesce((SELECT sum(length(CAST(body AS BLOB))) FROM entry WHERE id BETWEEN ?2 AND ?3), 0)
          + coalesce(
            (SELECT sum(length(CAST(body AS BLOB))) FROM revision WHERE entry BETWEEN ?2 AND ?3), 0)
          + coalesce((SELECT sum(f.size) FROM attachment AS a
            JOIN artifact AS f ON f.number = a.artifact WHERE a.session = ?1), 0),
        (SELECT min(a.number) FROM attachment AS a JOIN artifact AS f ON f.number = a.artifact
          WHERE a.session = ?1 AND f.type BETWEEN 'image/' AND 'image0'),
        coalesce((SELECT turn FROM entry WHERE id = ?6), 0),
        EXISTS (SELECT 1 FROM turn WHERE session = ?1 AND lane IS NOT NULL)
          OR EXISTS (SELECT 1 FROM entry WHERE id BETWEEN ?2 AND ?3 AND kind = ?4 AND lane IS NOT NULL)
          OR EXISTS (SELECT 1 FROM session AS s JOIN session AS p ON p.number = s.parent
            WHERE s.number = ?1 AND p.overlapping = 1)
      """)
    find.bind(session.number)
    find.bind(EntryID(session: session.number, position: 0))
    find.bind(EntryID(session: session.number, position: EntryID.maximumPosition))
    find.bind(Entry.Kind.prompt.code)
    find.bind(content)
    find.bind(
      made.next > made.start ? session.lineage.id(of: made.next - 1).rawValue : nil)
    guard try find.step() else { throw KeepsakeError.noSession(session.id) }
    let shared = try Session.sharedCount(session.lineage.shared, in: db)
    bytes = try find.int64(2, in: .total)
    hasOverlappingTurns = find.bool(5)
    labels = try Self.lastLabel(of: session.number, atLeast: shared, in: db)
    if made.isPurged {
      turns = try find.int(4, in: .count)
      attachments = find.int(1)
      model = nil
      preview = nil
      cover = nil
    } else {
      turns = max(
        try find.int(0, in: .count),
        try session.turns(
          before: made.start, areOverlapping: hasOverlappingTurns, in: db))
      attachments = find.int(1) + shared
      model = try session.model(below: made.next, in: db)
      preview = try session.preview(below: made.next, in: db)
      cover = try session.firstSharedImage(in: db) ?? find.optionalInt64(3)
    }
  }

  /// Returns the highest number at the end of a label, after which new labels continue.
  private static func lastLabel(of session: Int64, atLeast shared: Int, in db: Tables) throws
    -> Int
  {
    let find = try db.prepare(
      "SELECT label FROM attachment WHERE session = ? AND label IS NOT NULL")
    find.bind(session)
    var last = shared
    while try find.step() {
      guard let digits = find.text().split(separator: "_").last, digits.utf8.count <= 9 else {
        continue
      }
      last = max(last, Int(digits) ?? 0)
    }
    return last
  }

  func write(in db: Tables) throws {
    let update = try db.prepare(
      """
      UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?, model = ?,
        preview = ?, cover = ?, overlapping = ? WHERE number = ? AND state = 3
      """)
    update.bind(entries)
    update.bind(turns)
    update.bind(attachments)
    update.bind(labels)
    update.bind(bytes)
    update.bind(model)
    update.bind(preview)
    update.bind(cover)
    update.bind(hasOverlappingTurns)
    update.bind(session)
    try update.run()
  }
}
