import KeepsakeFiles

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

  /// Returns whether enough space is free to give it back.
  static func isWorthwhile(all: Int64, free: Int64) -> Bool {
    free >= worthwhile && free >= all / 4
  }

  /// Gives free space back to the disk if it is much and the rewrite is quick, and returns the number of bytes.
  ///
  /// This must run outside a transaction and under the writers' lock.
  @discardableResult
  static func giveBack(in db: Tables, folder: Directory) throws -> Int64 {
    let (all, free) = try db.files.sizes()
    guard isWorthwhile(all: all, free: free), all - free <= little,
      // The used pages are written to the log and to a temporary file, which may be on the same disk.
      try folder.room() >= 3 * (all - free) + Reserve.leastRoom
    else { return 0 }
    try rewrite(db)
    try db.files.truncateLog(waitingMilliseconds: 50)
    return max(0, all - (try db.files.sizes().all))
  }

  /// Rewrites the database without its free space; the file becomes shorter with the next checkpoint.
  ///
  /// A large copy goes to the folder for temporary files. A small copy stays in memory, because that disk may be full.
  /// - Parameters:
  ///   - db: The writer's tables, outside a transaction.
  ///   - told: A closure that gets the number of written bytes, on this thread and in the midst of the rewrite.
  static func rewrite(_ db: Tables, told: ((Int64) -> Void)? = nil) throws {
    let (all, free) = try db.files.sizes()
    try db.files.rewrite(inMemory: all - free <= little, told: told)
  }
}
