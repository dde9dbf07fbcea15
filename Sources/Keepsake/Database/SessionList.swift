#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// Reads a page of the list of sessions, from the time and number after which it begins.
struct SessionList {
  var filter = Session.Filter()
  var limit = 50
  var cursor: Session.Cursor?
  /// The only session that is looked at; nil for all.
  private var session: UUID?

  init(
    filter: Session.Filter = Session.Filter(), limit: Int = 50, cursor: Session.Cursor? = nil
  ) {
    self.filter = filter
    self.limit = limit
    self.cursor = cursor
  }

  /// Reads the page.
  func page(in db: Tables) throws -> Session.Page {
    let query = try filter.text.map(Self.query)
    let find = try db.connection.prepare(
      text: """
        SELECT \(Self.columns) FROM session AS s LEFT JOIN session AS p ON p.number = s.parent AND p.\(SessionPresence.isOpen)
        WHERE s.\(SessionPresence.isShown)\(conditions)
        ORDER BY s.updated DESC, s.number DESC LIMIT ?1
        """)
    find.bind(limit == .max || query != nil ? .max : limit + 1, at: 1)
    bind(to: find)
    var found: [(summary: Session.Summary, cursor: Session.Cursor)] = []
    while try found.count <= limit && find.step() {
      if let query, !query.matches(find.optionalText(2) ?? find.optionalText(3) ?? "") { continue }
      found.append(try summary(find, in: db))
    }
    let next = found.count > limit ? found[limit - 1].cursor : nil
    return Session.Page(sessions: found.prefix(limit).map(\.summary), next: next)
  }

  /// Reads the facts about one session if it is shown and fits the filter, whatever the cursor and the limit are.
  func summary(of id: UUID, in db: Tables) throws -> Session.Summary? {
    var list = self
    (list.session, list.cursor, list.limit) = (id, nil, 1)
    return try list.page(in: db).sessions.first
  }

  static func query(_ text: String) throws -> SearchQuery {
    do { return try SearchQuery(text) } catch {
      throw KeepsakeError(.invalid, error.message, object: text, cause: error)
    }
  }

  /// Reads the facts about one session; nil if it is not there.
  static func summary(of number: Int64, in db: Tables) throws -> Session.Summary? {
    try summaries(where: "s.number = ?1", in: db) { $0.bind(number) }.first
  }

  /// Lists the forks at entries of a session's own, in the order of their first positions.
  static func forks(of session: Int64, in db: Tables) throws -> [Session.Summary] {
    try summaries(
      where: "s.parent = ?1 AND s.\(SessionPresence.isShown) ORDER BY s.fork_position, s.number",
      in: db
    ) { $0.bind(session) }
  }

  /// Lists a session and its forks at a position, if they have an entry there.
  static func alternatives(to session: Int64, at position: Int, in db: Tables) throws
    -> [Session.Summary]
  {
    try summaries(
      where: """
        s.\(SessionPresence.isShown) AND s.entries > ?2
          AND (s.number = ?1 OR s.parent = ?1 AND s.reach = ?2 AND s.fork_position = ?2)
        """, in: db
    ) {
      $0.bind(session)
      $0.bind(position)
    }
  }

  private static func summaries(
    where condition: String, in db: Tables, _ bind: (borrowing Statement) -> Void
  ) throws -> [Session.Summary] {
    let find = try db.connection.prepare(
      text: """
        SELECT \(columns) FROM session AS s LEFT JOIN session AS p ON p.number = s.parent AND p.\(SessionPresence.isOpen)
        WHERE \(condition)
        """)
    bind(find)
    var found: [Session.Summary] = []
    while try find.step() { found.append(try SessionList().summary(find, in: db).summary) }
    return found
  }

  private static let columns = """
    s.number, s.id, s.title, s.preview, s.model, s.origin, s.created, s.updated, s.entries, \
    s.attachments, s.bytes, s.cover, p.id
    """

  /// The conditions that the filter has, and no others, so that SQLite plans for these.
  private var conditions: String {
    var text = ""
    if cursor != nil { text += " AND (s.updated, s.number) < (?2, ?3)" }
    if session != nil { text += " AND s.id = ?12" }
    if filter.since != nil { text += " AND s.updated >= ?4" }
    if filter.until != nil { text += " AND s.updated < ?5" }
    if filter.model != nil { text += " AND s.model = ?6" }
    if filter.origin != nil { text += " AND s.origin = ?7" }
    if filter.tag != nil {
      text += """
         AND (EXISTS (SELECT 1 FROM tag WHERE tag = ?8 AND session = s.number AND entry = -1)
        OR EXISTS (\(Self.pieces) SELECT 1 FROM piece CROSS JOIN tag ON tag = ?8 AND session = number
          AND entry >= \(EntryID.id(of: "number", at: "0")) AND entry < \(EntryID.id(of: "number", at: "end"))))
        """
    }
    if filter.sessionTag != nil {
      text += " AND s.number IN (SELECT session FROM tag WHERE tag = ?11 AND entry = -1)"
    }
    if filter.tool != nil {
      text += """
         AND EXISTS (\(Self.pieces) SELECT 1 FROM piece CROSS JOIN tool_call ON tool = ?9
          AND entry >= \(EntryID.id(of: "number", at: "0")) AND entry < \(EntryID.id(of: "number", at: "end")))
        """
    }
    if filter.has != nil {
      text += """
         AND EXISTS (\(Self.pieces) SELECT 1 FROM piece
          CROSS JOIN attachment AS a ON a.session = piece.number AND a.recorded <= piece.change
            AND (piece.number = s.number OR \(EntryID.position(of: "a.entry")) < piece.end)
            AND a.direction <> \(Entry.Attachment.Direction.content.code)
          CROSS JOIN artifact AS f ON f.number = a.artifact
          WHERE f.type = ?10 OR substr(f.type, 1, length(?10) + 1) = ?10 || '/')
        """
    }
    return text
  }

  /// The lineage of session `s`: the sessions that it shares entries with, up to which position, and with how many
  /// changes.
  ///
  /// This has `UNION`, so that it ends even in a damaged database, in which a session is a fork of itself.
  private static let pieces = """
    WITH RECURSIVE piece (number, end, change) AS (
      SELECT s.number, \(EntryID.maximumPosition + 1), 9223372036854775807
      UNION
      SELECT f.parent, min(piece.end, f.fork_position), f.fork_change
      FROM piece CROSS JOIN session AS f ON f.number = piece.number WHERE f.parent IS NOT NULL)
    """

  private func bind(to find: borrowing Statement) {
    if let cursor {
      find.bind(cursor.updated, at: 2)
      find.bind(cursor.number, at: 3)
    }
    if let since = filter.since { find.bind(since.microseconds, at: 4) }
    if let until = filter.until { find.bind(until.microseconds, at: 5) }
    if let model = filter.model { find.bind(model, at: 6) }
    if let origin = filter.origin { find.bind(origin, at: 7) }
    if let tag = filter.tag { find.bind(tag, at: 8) }
    if let tool = filter.tool { find.bind(tool, at: 9) }
    if let kind = filter.has { find.bind(kind, at: 10) }
    if let tag = filter.sessionTag { find.bind(tag, at: 11) }
    if let session { find.bind(session.bytes, at: 12) }
  }

  private func summary(_ row: borrowing Statement, in db: Tables) throws -> (
    summary: Session.Summary, cursor: Session.Cursor
  ) {
    let number = try row.int64(in: .session)
    guard let id = UUID(bytes: row.span()) else {
      throw KeepsakeError.lostIdentifier(ofSession: number)
    }
    let title = row.optionalText()
    let preview = row.optionalText()
    let model = row.optionalText()
    let origin = row.optionalText()
    let created = row.int64()
    let updated = row.int64()
    let entries = try row.int(in: .entries)
    let attachments = try row.int(in: .count)
    let bytes = try row.int64(in: .total)
    let cover = row.optionalInt64()
    let parent = UUID(bytes: row.span())
    let summary = Session.Summary(
      id: id, title: title, preview: preview, model: model, origin: origin,
      created: Date(microseconds: created), updated: Date(microseconds: updated),
      entries: entries, attachments: attachments, bytes: bytes,
      cover: try cover.flatMap { try label($0, in: db) }, tags: try db.sessions.tags(of: number),
      fork: try parent.flatMap { try fork(number, of: $0, in: db) })
    return (summary, Session.Cursor(updated: updated, number: number))
  }

  /// Reads the facts about a fork that lists show.
  private func fork(_ number: Int64, of parent: UUID, in db: Tables) throws
    -> Session.Summary.Fork?
  {
    let find = try db.connection.prepare(
      """
      SELECT s.fork_position, p.title IS s.title FROM session AS s JOIN session AS p ON p.number = s.parent
      WHERE s.number = ?
      """)
    find.bind(number)
    guard try find.step() else { return nil }
    return Session.Summary.Fork(
      session: parent, position: try find.int(in: .entries), hasParentsTitle: find.bool())
  }

  private func label(_ attachment: Int64, in db: Tables) throws -> String? {
    let find = try db.connection.prepare("SELECT label FROM attachment WHERE number = ?")
    find.bind(attachment)
    return try find.step() ? find.text() : nil
  }
}
