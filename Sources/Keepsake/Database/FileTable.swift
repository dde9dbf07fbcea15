import KeepsakeSQLite

/// The statements over the database as a file: its sizes, counts and versions.
struct FileTable {
  let db: Connection
}

extension Tables {
  var files: FileTable { FileTable(db: connection) }
}

// MARK: - Sizes

extension FileTable {
  /// Returns the size of the database, and how many bytes of it are free.
  func sizes() throws -> (all: Int64, free: Int64) {
    let page = try pageSize()
    return (
      (try db.integer("PRAGMA page_count") ?? 0) * page,
      (try db.integer("PRAGMA freelist_count") ?? 0) * page
    )
  }

  private func pageSize() throws -> Int64 { try db.integer("PRAGMA page_size") ?? 4096 }
}

// MARK: - Durability

extension FileTable {
  /// Has each commit of this connection wait until the disk has it, as it does from the beginning, or has none wait.
  ///
  /// Without waiting, a loss of power takes the last commits, and leaves the database as it was before them. This must run outside a
  /// transaction.
  func setSyncsCommits(_ syncs: Bool) throws {
    try db.execute("PRAGMA synchronous = \(syncs ? "FULL" : "NORMAL")")
  }
}

// MARK: - Rewriting and copying

extension FileTable {
  /// Writes the whole log into the database and cuts it, and returns whether that succeeded.
  ///
  /// A reader may keep the log from being cut. The next complete checkpoint makes the file shorter then.
  /// - Parameter milliseconds: The longest wait for readers and other writers; nil for the usual time.
  @discardableResult
  func truncateLog(waitingMilliseconds milliseconds: Int32? = nil) throws -> Bool {
    let milliseconds = milliseconds ?? Connection.busyTimeoutMilliseconds
    return try !db.checkpoint(.truncate, waitingMilliseconds: milliseconds).busy
  }

  /// Rewrites the database without its free space; the file becomes shorter with the next checkpoint.
  ///
  /// This must run outside a transaction and under the writers' lock.
  /// - Parameters:
  ///   - isLittle: Whether the temporary copy stays in memory, and does not go to the folder for temporary files.
  ///   - told: A closure that gets the number of written bytes, on this thread and in the midst of the rewrite. It covers the
  ///     temporary file that SQLite writes first, but not the log afterwards.
  func rewrite(inMemory isLittle: Bool, told: ((Int64) -> Void)? = nil) throws {
    if !isLittle { try db.execute("PRAGMA temp_store = FILE") }
    defer { if !isLittle { try? db.execute("PRAGMA temp_store = MEMORY") } }
    guard let told else { return try db.prepare("VACUUM").run() }
    let page = try pageSize()
    let before = db.count(of: .pagesWritten)
    try db.watching {
      told(Int64(db.count(of: .pagesWritten) - before) * page)
    } while: {
      try db.prepare("VACUUM").run()
    }
  }

  /// Copies the database, as it is in the present snapshot, to a new file.
  ///
  /// - Parameters:
  ///   - destination: The path of the copy.
  ///   - step: A closure that gets the number of copied bytes and of all bytes; its error ends the copying.
  func copy(to destination: String, step: (_ done: Int64, _ total: Int64) throws -> Void) throws {
    let page = try pageSize()
    try db.backup(to: destination) { done, total in
      try step(Int64(done) * page, Int64(total) * page)
    }
  }
}

// MARK: - The store's own row

extension FileTable {
  /// Inserts the row that says which store the database is of.
  func insertStore(id: [UInt8], created: Int64) throws {
    let insert = try db.prepare("INSERT INTO store (id, created) VALUES (?, ?)")
    insert.bind(id)
    insert.bind(created)
    try insert.run()
  }

  /// Returns the id of the store; nil if it was lost.
  func storeID() throws -> [UInt8]? {
    let find = try db.prepare("SELECT id FROM store")
    return try find.step() ? find.bytes() : nil
  }
}
