import KeepsakeSQLite

/// A place that may still hold removed content, although no row has it any more.
///
/// The transaction that removes content sets a mark for each place, which is removed when the place is clean. If the
/// process ends in between, the next process that writes finds the mark.
enum Trace: Int64 {
  /// The pages of the search index. FTS5 only notes a deletion, and drops the words when it merges its segments.
  case index = 0
  /// The pages of SQLite's log, which include those from before a change.
  case log = 1

  /// Notes that the place may hold removed content.
  func mark(in db: Tables) throws {
    // The rewriting may have passed the place already.
    let insert = try db.connection.prepare(
      """
      INSERT INTO trace (place, begun) VALUES (?, 0)
      ON CONFLICT (place) DO UPDATE SET begun = 0 WHERE begun <> 0
      """)
    insert.bind(rawValue)
    try insert.run()
  }

  /// Tells whether the place may hold removed content.
  func isMarked(in db: Tables) throws -> Bool {
    let find = try db.connection.prepare("SELECT 1 FROM trace WHERE place = ?")
    find.bind(rawValue)
    return try find.step()
  }

  /// Notes that the place is clean.
  fileprivate func unmark(in db: Tables) throws {
    let delete = try db.connection.prepare("DELETE FROM trace WHERE place = ?")
    delete.bind(rawValue)
    try delete.run()
  }
}

// MARK: - The search index

extension Trace {
  /// The number of pages of the index that a transaction writes: 1 MiB, in less than a tenth of a second.
  static let indexPages = 256

  /// Rewrites a part of the search index without removed words; returns false if no part is left.
  ///
  /// All parts together cost the size of the index. Others can write between the parts.
  static func rewriteIndex(in db: Tables, pages: Int = indexPages) throws -> Bool {
    let find = try db.connection.prepare("SELECT begun FROM trace WHERE place = ?")
    find.bind(Trace.index)
    guard try find.step() else { return false }
    let isBegun = find.bool()
    find.reset()
    let before = db.connection.totalChangedRows
    // "Call it once with a negative parameter, and then with positive ones until it changes less than two rows"
    // (fts5.html): the first call has all segments merged into one, from which what was deleted is left out.
    let merge = try db.connection.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
    merge.bind(isBegun ? pages : -pages)
    try merge.run()
    guard db.connection.totalChangedRows - before >= 2 else {
      try Trace.index.unmark(in: db)
      return false
    }
    if !isBegun {
      let begin = try db.connection.prepare("UPDATE trace SET begun = 1 WHERE place = ?")
      begin.bind(Trace.index)
      try begin.run()
    }
    // The pages that were rewritten just now.
    try Trace.log.mark(in: db)
    return true
  }
}

// MARK: - The log

extension Trace {
  /// The time for which others wait while a reader is waited for.
  private static let logWaitMilliseconds: Int32 = 50

  /// Checkpoints the log and truncates it; returns false if a reader was in the way.
  ///
  /// The caller holds the writers' lock, and is in no transaction.
  static func cutLog(in db: Tables) throws -> Bool {
    if try db.connection.checkpoint(.truncate, waitingMilliseconds: logWaitMilliseconds).busy {
      return false
    }
    if try Trace.log.isMarked(in: db) { try Trace.log.unmark(in: db) }
    return true
  }
}
