import KeepsakeSQLite

/// Finds the entries that a search may show, inside of one snapshot: indexed documents, and entries not yet indexed.
struct SearchCandidates {
  let query: SearchQuery
  let scope: SearchScope
  /// The session to search; nil for the whole store.
  let viewer: SearchViewer?
  /// Tells whether this version made the index; if not, all entries count as not indexed.
  let isIndexUsable: Bool
  let db: Tables

  /// An indexed entry.
  struct Document {
    let number: Int64
    let entry: EntryID
    let created: Int64
    /// FTS5's bm25 score if it was requested; a lower score is better.
    var score = 0.0
    /// The entry with its text, if it was requested.
    var row: EntryTextReader.Row?
  }

  /// An entry that is not yet indexed.
  struct Waiting {
    let entry: EntryID
    let created: Int64
  }

  /// Passes the documents in a range of numbers that match the query to a closure, newest first, until it returns false.
  ///
  /// The first `texts` documents come with their texts, which costs less than looking up each entry again.
  func documents(
    above: Int64 = 0, below: Int64 = .max, ranked: Bool = false, texts: Int = 0,
    _ body: (Document) throws -> Bool
  ) throws {
    guard isIndexUsable else { return }
    let extra =
      ranked ? "bm25(search)" : texts > 0 ? EntryTextReader.columns : "NULL"
    // Without words, all documents of the scope are listed, and the full-text index is not asked.
    let (source, number) =
      query.isEverything
      ? ("document AS d", "d.number")
      : ("search CROSS JOIN document AS d ON d.number = search.rowid", "search.rowid")
    let find = try db.connection.prepare(
      text: """
        SELECT d.number, d.entry, e.created, \(extra)
        FROM \(source)
        CROSS JOIN entry AS e ON e.id = d.entry
        CROSS JOIN session AS s ON s.number = d.entry >> 24
        WHERE \(query.isEverything ? "" : "search MATCH ?1 AND ")\(number) > ?2 AND \(number) < ?3\(conditions)
        ORDER BY \(number) DESC
        """)
    var (above, below) = (above, below)
    if let viewer {
      guard let numbers = try numbers(shownTo: viewer) else { return }
      above = max(above, numbers.lowerBound - 1)
      below = min(below, numbers.upperBound + 1)
    }
    if !query.isEverything { find.bind(query.ftsExpression, at: 1) }
    find.bind(above, at: 2)
    find.bind(below, at: 3)
    bind(to: find)
    let reader = EntryTextReader(db: db)
    var left = texts
    while try find.step() {
      var document = Document(
        number: try find.int64(0, in: .row), entry: find.entryID(1),
        created: find.int64(2))
      if let viewer, !viewer.showsAsIndexed(document.entry) { continue }
      if ranked { document.score = find.double(3) }
      if left > 0 {
        document.row = try reader.row(
          find, from: 3, visibleChanges: visibleChanges(of: document.entry))
        left -= 1
      }
      guard try body(document) else { return }
    }
  }

  /// Returns the range from the lowest to the highest number of the documents that a session shows; nil if there are none.
  private func numbers(shownTo viewer: SearchViewer) throws -> ClosedRange<Int64>? {
    var all: ClosedRange<Int64>?
    for stretch in viewer.stretches {
      guard let found = try db.search.numbers(of: stretch.ids) else { continue }
      all =
        min(
          found.lowerBound, all?.lowerBound ?? found.lowerBound)...max(
          found.upperBound, all?.upperBound ?? found.upperBound)
    }
    return all
  }

  /// Returns the entries of the scope that are not in the index, newest first, whether or not they match.
  func waiting() throws -> [Waiting] {
    let find = try db.connection.prepare(
      text: """
        SELECT e.id, e.created FROM \(isIndexUsable ? "search_queue" : Self.everything) AS q
        CROSS JOIN session AS s ON s.number = q.session
        CROSS JOIN entry AS e
          ON e.id BETWEEN (q.session << 24) + q.position AND (q.session << 24) + 16777215
        WHERE TRUE\(conditions)
        """)
    bind(to: find)
    return try waiting(find)
  }

  /// Returns the entries with a document that a fork shows with an earlier text than the indexed one.
  func differing() throws -> [(document: Document, changes: Int)] {
    guard let viewer, !viewer.differing.isEmpty else { return [] }
    let find = try db.connection.prepare(
      text: """
        SELECT d.number, e.id, e.created FROM document AS d
        CROSS JOIN entry AS e ON e.id = d.entry
        CROSS JOIN session AS s ON s.number = d.entry >> 24
        WHERE d.entry = ?1\(conditions)
        """)
    bind(to: find)
    var found: [(Document, Int)] = []
    for (entry, changes) in viewer.differing {
      find.bind(entry, at: 1)
      if try find.step() {
        let document = Document(
          number: try find.int64(0, in: .row), entry: entry, created: find.int64(2))
        found.append((document, changes))
      }
      find.reset()
    }
    return found.sorted { $0.0.number > $1.0.number }
  }

  /// Returns the entry with the text to search; nil if there is no such entry.
  func text(of entry: EntryID) throws -> EntryTextReader.Row? {
    try EntryTextReader(db: db).row(entry, visibleChanges: visibleChanges(of: entry))
  }

  private func visibleChanges(of entry: EntryID) -> Int? {
    viewer?.lineage.owner(of: entry.position).changes
  }

  private func waiting(_ find: borrowing Statement) throws -> [Waiting] {
    var found: [Waiting] = []
    while try find.step() {
      let entry = find.entryID(0)
      if let viewer, !viewer.shows(entry) { continue }
      found.append(Waiting(entry: entry, created: find.int64(1)))
    }
    return found.sorted { ($0.created, $0.entry) > ($1.created, $1.entry) }
  }

  /// A stand-in for the queue that lists all entries, for an index that another version made.
  private static let everything =
    "(SELECT number AS session, coalesce(fork_position, 0) AS position FROM session)"
}

// MARK: - The scope

extension SearchCandidates {
  /// The SQL conditions of the scope; only the given ones, so that SQLite can plan for them.
  private var conditions: String {
    // The entries of a purged session (state 2) belong to its forks, which are looked up for each hit.
    var text =
      viewer == nil ? " AND s.state IN (0, 2)" : " AND e.id BETWEEN ?4 AND ?5"
    if !scope.kinds.isEmpty {
      text += " AND e.kind IN (\(scope.kinds.map { "\($0.code)" }.sorted().joined(separator: ",")))"
    }
    if scope.since != nil { text += " AND e.created >= ?6" }
    if scope.until != nil { text += " AND e.created < ?7 AND e.created > \(EntryTime.unknown)" }
    if scope.model != nil { text += " AND e.model = ?8" }
    if scope.tool != nil {
      text += """
         AND (EXISTS (SELECT 1 FROM tool_call WHERE entry = e.id AND tool = ?9)
        OR EXISTS (SELECT 1 FROM tool_call
          WHERE entry = e.call_entry AND ordinal = e.call_ordinal AND tool = ?9)
        OR (e.kind = \(Entry.Kind.toolOutput.code) AND e.call_entry IS NULL
          AND json_extract(e.body, '$.tool') = ?9))
        """
    }
    if scope.tag != nil {
      text += """
         AND (\(viewer == nil ? "s.state = 2 OR " : "")
        EXISTS (SELECT 1 FROM tag
          WHERE tag = ?10 AND session = \(viewer == nil ? "s.number" : "?11") AND entry = -1)
        OR EXISTS (SELECT 1 FROM tag WHERE tag = ?10 AND session = s.number AND entry = e.id))
        """
    }
    return text
  }

  private func bind(to find: borrowing Statement) {
    if let viewer {
      find.bind(viewer.ids.lowerBound, at: 4)
      find.bind(viewer.ids.upperBound, at: 5)
    }
    if let since = scope.since { find.bind(since.microseconds, at: 6) }
    if let until = scope.until { find.bind(until.microseconds, at: 7) }
    if let model = scope.model { find.bind(model, at: 8) }
    if let tool = scope.tool { find.bind(tool, at: 9) }
    if let tag = scope.tag {
      find.bind(tag, at: 10)
      if let viewer { find.bind(viewer.number, at: 11) }
    }
  }
}
