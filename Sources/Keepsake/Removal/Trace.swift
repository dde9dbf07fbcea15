import KeepsakeSQLite

/// Where what was removed may still stand although no row says it any more.
///
/// A mark for each place is set in the transaction that removes, and taken away when the place is clean: so what a process
/// that ended in between left behind is found by whoever writes next.
enum Trace: Int64 {
  /// The pages of the search index: FTS5 only notes what is deleted, and drops it when it merges its segments.
  case index = 0
  /// The pages of SQLite's log, which are those from before the change.
  case log = 1

  /// Notes that something is removed that may stand there.
  func mark(in db: Connection) throws {
    // What is rewritten already may have gone by the place.
    let insert = try db.prepare(
      """
      INSERT INTO trace (place, begun) VALUES (?, 0)
      ON CONFLICT (place) DO UPDATE SET begun = 0 WHERE begun <> 0
      """)
    insert.bind(rawValue)
    try insert.run()
  }

  func isMarked(in db: Connection) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM trace WHERE place = ?")
    find.bind(rawValue)
    return try find.step()
  }

  fileprivate func unmark(in db: Connection) throws {
    let delete = try db.prepare("DELETE FROM trace WHERE place = ?")
    delete.bind(rawValue)
    try delete.run()
  }
}

// MARK: - The search index

extension Trace {
  /// What one transaction writes of the index: 1 MiB, which takes less than a tenth of a second.
  static let indexPages = 256

  /// Rewrites a part of the search index without the words that were taken out of it; false when none is left.
  ///
  /// All of it costs the size of the whole index, whoever asks. Others can write between the pieces.
  static func rewriteIndex(in db: Connection, pages: Int = indexPages) throws -> Bool {
    let find = try db.prepare("SELECT begun FROM trace WHERE place = ?")
    find.bind(Trace.index)
    guard try find.step() else { return false }
    let isBegun = find.bool()
    find.reset()
    let before = db.totalChangedRows
    // "Call it once with a negative parameter, and then with positive ones until it changes less than two rows"
    // (fts5.html): the first call has all segments merged into one, from which what was deleted is left out.
    let merge = try db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
    merge.bind(isBegun ? pages : -pages)
    try merge.run()
    guard db.totalChangedRows - before >= 2 else {
      try Trace.index.unmark(in: db)
      return false
    }
    if !isBegun {
      let begin = try db.prepare("UPDATE trace SET begun = 1 WHERE place = ?")
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
  /// How long others wait while a reader is waited for.
  private static let logWaitMilliseconds: Int32 = 50

  /// Brings the log home and cuts it to nothing; false where a reader kept it from that.
  ///
  /// Outside of any transaction, under the writers' lock.
  static func cutLog(in db: Connection) throws -> Bool {
    if try db.checkpoint(.truncate, waitingMilliseconds: logWaitMilliseconds).busy { return false }
    if try Trace.log.isMarked(in: db) { try Trace.log.unmark(in: db) }
    return true
  }
}
