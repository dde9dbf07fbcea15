import CKeepsakeSQLite
import KeepsakeFiles

/// One connection to one database file, opened with the settings that keep what is acknowledged.
///
/// It is confined: used by one thread at a time, and SQLite's own mutexes are off. It must be the
/// only way in which this process touches the file: closing any other descriptor of it drops
/// SQLite's locks.
@safe
public final class Connection {
  /// The path that the connection was opened with.
  public let path: String
  /// What the connection may do with the file.
  public let access: Access
  /// Pages in the write-ahead log when this connection last committed to it; 0 before that.
  public internal(set) var walPages = 0
  /// What those who use the connection know of what it shows, for as long as it lives.
  public var notes: AnyObject?

  var handle: OpaquePointer?
  var cache = StatementCache()
  /// Where the index of the log is in memory, once somebody asked.
  var knownLogIndex: UnsafeMutableRawPointer?
  private let interruption: Interrupter.Target

  /// Opens a database file and settles how it is used, from durability to what a hostile file may do.
  ///
  /// Reads the schema, so a file that is not a database is refused here.
  public init(path: String, access: Access) throws(SQLiteError) {
    self.path = path
    self.access = access
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(access.name(of: path), &opened, access.flags, access.layer)
    guard code == SQLITE_OK, unsafe opened != nil else {
      // Even when opening fails, SQLite hands out a connection, which holds the message.
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

  /// What stops the connection's statements from another thread.
  public var interrupter: Interrupter { Interrupter(interruption) }

  /// Finalizes the cached statements and closes; the write-ahead log stays for the next opening.
  ///
  /// A statement that is still checked out keeps the file open until it goes away.
  public func close() {
    guard unsafe handle != nil else { return }
    // The hook refers to this object without holding it.
    _ = unsafe sqlite3_wal_hook(handle, nil, nil)
    interruption.forget()
    cache.removeAll()
    unsafe knownLogIndex = nil
    // close_v2 waits for statements that are out, and has no other reason to fail.
    _ = unsafe sqlite3_close_v2(handle)
    unsafe handle = nil
  }
}

// MARK: - Waiting

extension Connection {
  /// How long a reader that may not repair the index of the log waits for whoever writes it: mostly they are done at
  /// once, and who began and was killed never is.
  static var pausesForIndex: Pauses {
    Pauses(until: .now.advanced(by: .milliseconds(500)))
  }
}

// MARK: - Committing

extension Connection {
  /// Ends a transaction that wrote; its pages go into the log together.
  public func commit() throws(SQLiteError) {
    let log = unsafe LogFile.of(handle)
    unsafe log?.pointee.gather()
    do throws(SQLiteError) {
      try prepare("COMMIT").run()
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
  /// Runs all statements of a script; rows are passed over.
  public func execute(_ script: String) throws(SQLiteError) {
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

  /// A statement written in the program; it is compiled once and cached by the literal's address.
  ///
  /// While it is out, asking for it again gives another one that is not kept.
  public func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement {
    let start = unsafe sql.utf8Start
    let address = UInt(bitPattern: start)
    if let resting = cache.resting(literal: address) {
      return Statement(checkingOut: resting)
    }
    let utf8 = unsafe UnsafeBufferPointer(start: start, count: sql.utf8CodeUnitCount)
    let prepared = unsafe try compileOne(utf8)
    cache.keep(prepared, literal: address)
    return Statement(checkingOut: prepared)
  }

  /// A statement composed at run time; the 32 that were used last are cached.
  public func prepare(text sql: String) throws(SQLiteError) -> Statement {
    if let resting = cache.resting(text: sql) {
      return Statement(checkingOut: resting)
    }
    var text = sql
    let compiled: Result<PreparedStatement, SQLiteError> = text.withUTF8 { utf8 in
      do throws(SQLiteError) {
        return .success(unsafe try compileOne(utf8))
      } catch {
        return .failure(error)
      }
    }
    let prepared = try compiled.get()
    cache.keep(prepared, text: sql)
    return Statement(checkingOut: prepared)
  }

  /// Compiles SQL that is exactly one statement.
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

  /// Compiles the first statement of a script, and leaves the rest; nil when there is none.
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
        // Compiling the first statement reads the schema.
        pauses = pauses ?? Self.pausesForIndex
        guard error.isIndexUnfinished, pauses?.wait() == true else { throw error }
        continue
      }
      let used = unsafe tail.map { unsafe UnsafeRawPointer($0) - UnsafeRawPointer(start) }
      unsafe script = unsafe UnsafeBufferPointer(rebasing: script[(used ?? script.count)...])
      // Only a comment or white space: look further.
      guard let compiled = unsafe compiled else { continue }
      return unsafe PreparedStatement(owning: compiled)
    }
    return nil
  }
}
