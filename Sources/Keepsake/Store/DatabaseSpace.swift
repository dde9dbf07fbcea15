import KeepsakeFiles
import KeepsakeSQLite

/// Measures the free space inside of a database, and gives it back to the disk.
///
/// With SQLite's `auto_vacuum` each artifact would cost another page: 15 % more for an append with 10 KB, and 4 % more for a
/// text. So the whole database is rewritten instead. The store does that on its own only while little is in use, so that other
/// writers wait about as long as for a step of a deletion.
enum DatabaseSpace {
  /// The least free space for a rewrite or a hint; a quarter of the database must be free as well.
  static let worthwhile: Int64 = 16 << 20
  /// The most bytes in use for which a store rewrites its database on its own, which takes 0.2 s of processor time.
  static let little: Int64 = 32 << 20

  /// Returns the size of the database, and how many bytes of it are free.
  static func sizes(in db: Connection) throws -> (all: Int64, free: Int64) {
    let page = try db.integer("PRAGMA page_size") ?? 4096
    return (
      (try db.integer("PRAGMA page_count") ?? 0) * page,
      (try db.integer("PRAGMA freelist_count") ?? 0) * page
    )
  }

  /// Whether enough space is free to give it back.
  static func isWorthwhile(all: Int64, free: Int64) -> Bool {
    free >= worthwhile && free >= all / 4
  }

  /// Gives free space back to the disk if it is much and the rewrite is quick, and returns the number of bytes.
  ///
  /// This must run outside a transaction and under the writers' lock.
  @discardableResult
  static func giveBack(in db: Connection, folder: Directory) throws -> Int64 {
    let (all, free) = try sizes(in: db)
    guard isWorthwhile(all: all, free: free), all - free <= little,
      // The used pages are written to the log and to a temporary file, which may be on the same disk.
      try folder.room() >= 3 * (all - free) + Reserve.leastRoom
    else { return 0 }
    try rewrite(db)
    // A reader may keep the log from being cut. The next complete checkpoint makes the file shorter then.
    _ = try db.checkpoint(.truncate, waitingMilliseconds: 50)
    return max(0, all - (try sizes(in: db).all))
  }

  /// Rewrites the database without its free space; the file becomes shorter with the next checkpoint.
  ///
  /// - Parameters:
  ///   - db: The writer's connection, outside a transaction.
  ///   - told: A closure that gets the number of written bytes, on this thread and in the midst of the rewrite. It covers the
  ///     temporary file that SQLite writes first, but not the log afterwards.
  static func rewrite(_ db: Connection, told: ((Int64) -> Void)? = nil) throws {
    let (all, free) = try sizes(in: db)
    // A large copy goes to the folder for temporary files. A small copy stays in memory, because that disk may be full.
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
