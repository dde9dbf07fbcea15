import CKeepsakeSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An error of SQLite, with SQLite's message and the SQL that failed, and never a bound value.
///
/// Transcripts are private, so an error must be safe to log or to send in a report. The one exception is SQLite's message about
/// a malformed full-text query, which quotes the query.
package struct SQLiteError: Error, Sendable, Hashable {
  /// The primary result code, such as 19 for a constraint.
  package let code: Int32
  /// The extended result code, such as 2067 for a UNIQUE constraint.
  package let extendedCode: Int32
  /// SQLite's message.
  package let message: String
  /// The statement that failed, with its placeholders; nil when the failure was not a statement's.
  package let sql: String?
  /// The path of the database file that could not be opened or closed; nil for a failed statement.
  package let path: String?
  /// The system's error number if the system refused something and SQLite knows the number; otherwise 0.
  package let systemError: Int32

  init(
    extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil,
    systemError: Int32 = 0
  ) {
    self.code = extendedCode & 0xff
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.path = path
    self.systemError = systemError
  }

  /// Returns a copy of the error for a database that could not be opened: with the path, and without SQL.
  func opening(_ path: String) -> Self {
    SQLiteError(
      extendedCode: extendedCode, message: message, path: path, systemError: systemError)
  }

  /// Returns a copy of the error with the system's error number.
  func because(_ systemError: Int32) -> Self {
    SQLiteError(
      extendedCode: extendedCode, message: message, sql: sql, path: path, systemError: systemError)
  }
}

extension SQLiteError {
  /// Whether the disk or a quota is full; SQLite has rolled the whole transaction back.
  ///
  /// Some file systems notice a full disk only during a sync, which SQLite reports as an I/O error.
  package var isFull: Bool {
    code == SQLITE_FULL || isIOError && (systemError == ENOSPC || systemError == EDQUOT)
  }
  /// Whether the user's quota is used up, and not the disk.
  package var isQuota: Bool { isFull && systemError == EDQUOT }
  /// Whether the system refused to open a file because of permissions, or because the file or folder is missing or of another
  /// kind.
  package var isRefused: Bool {
    isCantOpen && [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, EISDIR].contains(systemError)
  }
  /// Whether this process, or the whole system, has no file descriptor left.
  package var isOutOfDescriptors: Bool { systemError == EMFILE || systemError == ENFILE }
  /// Whether another connection held a lock for longer than the busy timeout.
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// Whether the database file is damaged.
  package var isCorrupt: Bool { code == SQLITE_CORRUPT }
  /// Whether the file is not a database at all.
  package var isNotADatabase: Bool { code == SQLITE_NOTADB }
  /// Whether a constraint of the schema was violated.
  package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  /// Whether the connection or the file cannot be written.
  package var isReadOnly: Bool { code == SQLITE_READONLY }
  /// Whether a value or a row is larger than the limit.
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// Whether the operating system reported an error while reading, writing or syncing.
  package var isIOError: Bool { code == SQLITE_IOERR }
  /// Whether the database file, or a file beside it, could not be opened.
  package var isCantOpen: Bool { code == SQLITE_CANTOPEN }
  /// Whether a reader that changes no byte found the log's index unfinished.
  ///
  /// A writer is making the index anew, and is done in a moment, or was stopped, and the next writer repairs the index.
  package var isIndexUnfinished: Bool {
    extendedCode == ExtendedCode.readOnlyRecovery || extendedCode == ExtendedCode.readOnlyCantInit
  }
  /// Whether a writer opened the database while it was read without an index of its log.
  package var isOvertaken: Bool { extendedCode == ExtendedCode.busySnapshot }
  /// Whether a sum in SQL overflowed an integer, which SQLite tells by its message only.
  package var isOverflow: Bool { code == SQLITE_ERROR && message == "integer overflow" }
  /// Whether an ``Interrupter`` interrupted the statement.
  package var isInterrupted: Bool { code == SQLITE_INTERRUPT }
}

extension SQLiteError: CustomStringConvertible {
  package var description: String {
    var text: String
    if let sql {
      // Composed statements can be long, and the beginning is enough to recognize one.
      text = "Can't run '\(sql.count > 500 ? "\(sql.prefix(500))…" : sql)'"
    } else if let path {
      text = "Can't use the database at '\(path)'"
    } else {
      text = "SQLite failed"
    }
    text += ": \(message) (SQLite \(extendedCode))."
    if let remedy { text += " \(remedy)" }
    return text
  }

  private var remedy: String? {
    switch code {
    case SQLITE_FULL: "Free some space on the device and try again."
    case SQLITE_BUSY: "Another program holds the database; close it or try again."
    case SQLITE_CANTOPEN: "Check that the file and its folder exist and may be accessed."
    case SQLITE_READONLY: "Open the database for writing, or check its permissions."
    case SQLITE_CORRUPT: "The file is damaged: keep it as it is, and restore a backup."
    case SQLITE_NOTADB: "Check that the path names the right file."
    default: nil
    }
  }
}

extension SQLiteError {
  /// Returns the last error of a connection.
  @unsafe
  static func last(of handle: OpaquePointer?, sql: String? = nil, path: String? = nil) -> Self {
    let message = unsafe sqlite3_errmsg(handle)
    return unsafe SQLiteError(
      extendedCode: sqlite3_extended_errcode(handle),
      message: message.map { unsafe String(cString: $0) } ?? "out of memory", sql: sql, path: path,
      systemError: systemError(of: handle))
  }

  /// Returns the system's error number for the last failure of a connection; 0 if the system refused nothing.
  ///
  /// SQLite asks the system when a statement fails, but not when a commit fails, so the log's own number comes first. SQLite's
  /// number may be older than the failure, so it counts only for I/O errors and files that can't be opened.
  /// the connection, so it counts only where the system was asked for something.
  @unsafe
  private static func systemError(of handle: OpaquePointer?) -> Int32 {
    let code = unsafe sqlite3_errcode(handle) & 0xff
    guard unsafe handle != nil, code == SQLITE_IOERR || code == SQLITE_CANTOPEN else { return 0 }
    let refusal = unsafe LogFile.of(handle)?.pointee.takeRefusal() ?? 0
    return refusal == 0 ? unsafe sqlite3_system_errno(handle) : refusal
  }

  /// Returns the error for a result code, with SQLite's general message for the code.
  static func standing(for code: Int32, sql: String? = nil, path: String? = nil) -> Self {
    unsafe SQLiteError(
      extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql, path: path)
  }
}
