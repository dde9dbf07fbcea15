import CKeepsakeSQLite
import KeepsakeFiles

/// A connection to a database file, with settings that make every commit durable.
///
/// A connection is confined to one thread at a time, because SQLite's own mutexes are off. Nothing else in this process may
/// open the file: closing any other descriptor of it drops SQLite's locks.
@safe
package final class Connection {
  /// The path that the connection was opened with.
  package let path: String
  /// The way in which the connection uses the file.
  package let access: Access
  /// The number of pages in the write-ahead log after this connection's last commit; 0 before the first.
  package internal(set) var walPages = 0
  /// An object of the code that uses the connection, such as a cache, that lives as long as the connection.
  package var notes: AnyObject?

  var handle: OpaquePointer?
  var cache = StatementCache()
  /// The address of the log's index in memory, after the first request for it.
  var knownLogIndex: UnsafeMutableRawPointer?
  private let interruption: Interrupter.Target

  /// Opens a database file, applies all settings, and reads the schema.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - access: What the connection may do with the file.
  /// - Throws: The error of SQLite, also when the file is not a database, or lacks a safety setting.
  package init(path: String, access: Access) throws(SQLiteError) {
    self.path = path
    self.access = access
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(access.name(of: path), &opened, access.flags, access.layer)
    guard code == SQLITE_OK, unsafe opened != nil else {
      // SQLite returns a connection even when opening fails, because the connection holds the message.
      let error = unsafe SQLiteError.last(of: opened, path: path)
      _ = unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = unsafe opened
    interruption = unsafe Interrupter.Target(opened)
    do throws(SQLiteError) {
      try configure()
    } catch {
      close()
      throw error.opening(path)
    }
  }

  deinit {
    close()
  }

  /// A handle that interrupts the connection's statements from another thread.
  package var interrupter: Interrupter { Interrupter(interruption) }

  /// Finalizes the cached statements and closes the connection; the write-ahead log stays for the next opening.
  ///
  /// A statement that is still in use keeps the file open until the statement goes away.
  package func close() {
    guard unsafe handle != nil else { return }
    // The hook has a pointer to this object without a reference.
    _ = unsafe sqlite3_wal_hook(handle, nil, nil)
    interruption.forget()
    cache.removeAll()
    unsafe knownLogIndex = nil
    // `sqlite3_close_v2` waits for statements in use, and cannot fail otherwise.
    _ = unsafe sqlite3_close_v2(handle)
    unsafe handle = nil
  }
}

// MARK: - Waiting

extension Connection {
  /// The pauses of a reader that may not repair the log's index while a writer makes it anew.
  ///
  /// Making the index takes a moment. The limit is for an index that a killed process left unfinished.
  static var pausesForIndex: Pauses {
    Pauses(until: .now.advanced(by: .milliseconds(500)))
  }
}

// MARK: - Committing

extension Connection {
  /// Commits the open write transaction, and writes all pages to the log with one call.
  ///
  /// - Throws: The error of SQLite, with the system's error number where the system refused to write or sync.
  package func commit() throws(SQLiteError) {
    try gathering { () throws(SQLiteError) in try prepare("COMMIT").run() }
  }

  /// Writes the changed pages of the open write transaction to the log before its COMMIT, which then writes one more page.
  ///
  /// Nobody else sees the pages before the COMMIT, and a ROLLBACK drops them. This pays where the transaction has to wait for something
  /// before it commits. The log gets one page more than without it.
  package func writePagesAhead() throws(SQLiteError) {
    guard unsafe handle != nil else { throw closed() }
    try gathering { () throws(SQLiteError) in
      let code = unsafe sqlite3_db_cacheflush(handle)
      // The connection does not keep the error of this call.
      guard code == SQLITE_OK else { throw .standing(for: code, path: path) }
    }
  }

  /// Runs work of SQLite that writes pages to the log, so that they are written with one call.
  private func gathering(_ work: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    let log = unsafe LogFile.of(handle)
    unsafe log?.pointee.gather()
    do throws(SQLiteError) {
      try work()
    } catch {
      _ = unsafe log?.pointee.finish(isOpen: isInTransaction)
      throw error
    }
    let code = unsafe log?.pointee.finish(isOpen: true) ?? SQLITE_OK
    guard code == SQLITE_OK else {
      throw SQLiteError.standing(for: code, path: path)
        .because(unsafe log?.pointee.takeRefusal() ?? 0)
    }
  }
}

// MARK: - Statements

extension Connection {
  /// Runs all statements of a script, and ignores the rows of their results.
  package func execute(_ script: String) throws(SQLiteError) {
    var script = script
    let outcome: Result<Void, SQLiteError> = script.withUTF8 { utf8 in
      do throws(SQLiteError) {
        var rest = unsafe UnsafeBufferPointer(rebasing: utf8[...])
        while let prepared = unsafe try compile(&rest, persistent: false) {
          try Statement(checkingOut: prepared).run()
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
  }

  /// Prepares a statement from a literal, which is compiled once and cached by the literal's address.
  ///
  /// If the cached statement is in use, the result is a new statement that is not cached.
  package func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement {
    let start = unsafe sql.utf8Start
    let address = UInt(bitPattern: start)
    if let resting = cache.resting(constant: address) {
      return Statement(checkingOut: resting)
    }
    let utf8 = unsafe UnsafeBufferPointer(start: start, count: sql.utf8CodeUnitCount)
    let prepared = unsafe try compileOne(utf8)
    cache.keep(prepared, constant: address)
    return Statement(checkingOut: prepared)
  }

  /// Prepares a statement from a constant that was composed, which is compiled once and cached by the constant's number.
  ///
  /// If the cached statement is in use, the result is a new statement that is not cached.
  package func prepare(_ sql: ComposedSQL) throws(SQLiteError) -> Statement {
    if let resting = cache.resting(constant: sql.number) {
      return Statement(checkingOut: resting)
    }
    let prepared = try compileOne(sql.text)
    cache.keep(prepared, constant: sql.number)
    return Statement(checkingOut: prepared)
  }

  /// Prepares a statement composed at run time; the cache keeps the 32 statements that were used last.
  package func prepare(text sql: String) throws(SQLiteError) -> Statement {
    if let resting = cache.resting(text: sql) {
      return Statement(checkingOut: resting)
    }
    let prepared = try compileOne(sql)
    cache.keep(prepared, text: sql)
    return Statement(checkingOut: prepared)
  }

  /// Compiles SQL that is exactly one statement.
  private func compileOne(_ sql: String) throws(SQLiteError) -> PreparedStatement {
    var text = sql
    let compiled: Result<PreparedStatement, SQLiteError> = text.withUTF8 { utf8 in
      do throws(SQLiteError) {
        return .success(unsafe try compileOne(utf8))
      } catch {
        return .failure(error)
      }
    }
    return try compiled.get()
  }

  @unsafe
  private func compileOne(
    _ utf8: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) -> PreparedStatement {
    var rest = unsafe utf8
    guard let prepared = unsafe try compile(&rest, persistent: true) else {
      throw unsafe .standing(for: SQLITE_MISUSE, sql: String(decoding: utf8, as: UTF8.self))
    }
    unsafe precondition(
      !rest.contains(where: { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ";") }),
      "Only the first statement would run: use execute(_:) for a script")
    return prepared
  }

  /// Compiles the first statement of a script, and removes it from the script; nil when there is none.
  @unsafe
  private func compile(
    _ script: inout UnsafeBufferPointer<UInt8>, persistent: Bool
  ) throws(SQLiteError) -> PreparedStatement? {
    var pauses: Pauses?
    while let start = script.baseAddress, !script.isEmpty {
      guard unsafe handle != nil else { throw closed() }
      var compiled: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = unsafe start.withMemoryRebound(to: CChar.self, capacity: script.count) { sql in
        unsafe sqlite3_prepare_v3(
          handle, sql, Int32(clamping: script.count),
          persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &compiled, &tail)
      }
      guard code == SQLITE_OK else {
        let error = unsafe SQLiteError.last(
          of: handle, sql: String(decoding: script, as: UTF8.self))
        // Compiling the first statement reads the schema, which needs the index of the log.
        pauses = pauses ?? Self.pausesForIndex
        guard error.isIndexUnfinished, pauses?.wait() == true else { throw error }
        continue
      }
      let used = unsafe tail.map { unsafe UnsafeRawPointer($0) - UnsafeRawPointer(start) }
      unsafe script = unsafe UnsafeBufferPointer(rebasing: script[(used ?? script.count)...])
      // This part was only a comment or white space.
      guard let compiled = unsafe compiled else { continue }
      return unsafe PreparedStatement(owning: compiled)
    }
    return nil
  }
}
