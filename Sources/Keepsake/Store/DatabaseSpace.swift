import KeepsakeFiles
import KeepsakeSQLite

/// What is free inside of a database, and how it is given back to the disk.
///
/// A database that could give pages back one by one (SQLite's `auto_vacuum`) would write a page more with each artifact:
/// 15 % more of an append with 10 KB, and 4 % of one with a text. So it is written anew, as a whole: by itself only while
/// what is left is little, which keeps others waiting for about as long as a step of a deletion.
enum DatabaseSpace {
  /// So much must be free, and a quarter of the database, before anything is done or said about it.
  static let worthwhile: Int64 = 16 << 20
  /// So much may be in use, for the database to be written anew by itself: 0.2 s of a processor.
  static let little: Int64 = 32 << 20

  /// How large the database is, and how much of that is free.
  static func sizes(in db: Connection) throws -> (all: Int64, free: Int64) {
    let page = try db.integer("PRAGMA page_size") ?? 4096
    return (
      (try db.integer("PRAGMA page_count") ?? 0) * page,
      (try db.integer("PRAGMA freelist_count") ?? 0) * page
    )
  }

  /// Whether so much is free that it should be given back.
  static func isWorthwhile(all: Int64, free: Int64) -> Bool {
    free >= worthwhile && free >= all / 4
  }

  /// Gives back what is free, if that is much and quickly done; says how many bytes.
  ///
  /// Outside of a transaction, and under the writers' lock.
  @discardableResult
  static func giveBack(in db: Connection, folder: Directory) throws -> Int64 {
    let (all, free) = try sizes(in: db)
    guard isWorthwhile(all: all, free: free), all - free <= little,
      // What is in use is written to the log, and again to a temporary file, which may be on the same disk.
      try folder.room() >= 3 * (all - free) + Reserve.leastRoom
    else { return 0 }
    try rewrite(db)
    // A reader may keep the log from being cut: then the next checkpoint that is let to its end makes the file shorter.
    _ = try db.checkpoint(.truncate, waitingMilliseconds: 50)
    return max(0, all - (try sizes(in: db).all))
  }

  /// Writes the database anew, without what is free in it; the file becomes shorter with the next checkpoint.
  ///
  /// - Parameter told: Takes how many bytes were written, on this thread and in the midst of it. SQLite writes what is in
  ///   use to a temporary file, which is told, and then to the log, which is not.
  static func rewrite(_ db: Connection, told: ((Int64) -> Void)? = nil) throws {
    let (all, free) = try sizes(in: db)
    // Larger ones go where temporary files go; little is kept in memory, because that place may be on a full disk.
    let isLittle = all - free <= little
    if !isLittle { try db.execute("PRAGMA temp_store = FILE") }
    defer { if !isLittle { try? db.execute("PRAGMA temp_store = MEMORY") } }
    guard let told else { return try db.prepare("VACUUM").run() }
    let page = try db.integer("PRAGMA page_size") ?? 4096
    let before = db.count(of: .pagesWritten)
    try db.watching {
      told(Int64(db.count(of: .pagesWritten) - before) * page)
    } while: {
      try db.prepare("VACUUM").run()
    }
  }
}
