import CKeepsakeSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What SQLite refused, in its own words, with the SQL that it refused and never a bound value.
///
/// Transcripts are private: an error can be logged or sent in without what people wrote. The one
/// exception is SQLite's own message about a bad full-text query, which quotes the query.
public struct SQLiteError: Error, Sendable, Hashable {
  /// The primary result code, such as 19 for a constraint.
  public let code: Int32
  /// The extended result code, such as 2067 for a UNIQUE constraint.
  public let extendedCode: Int32
  /// SQLite's message.
  public let message: String
  /// The statement that failed, with its placeholders; nil when the failure was not a statement's.
  public let sql: String?
  /// The database file that could not be opened or closed; nil for a failed statement.
  public let path: String?
  /// The system's error number, where the system refused and SQLite knows it; otherwise 0.
  public let systemError: Int32

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

  /// The same as an error of opening a database.
  func opening(_ path: String) -> Self {
    SQLiteError(
      extendedCode: extendedCode, message: message, path: path, systemError: systemError)
  }

  /// The same with what is known of why the system refused.
  func because(_ systemError: Int32) -> Self {
    SQLiteError(
      extendedCode: extendedCode, message: message, sql: sql, path: path, systemError: systemError)
  }
}

extension SQLiteError {
  /// The disk, or a quota, is full; SQLite has rolled the whole transaction back.
  ///
  /// Some file systems notice it only when they are to sync: for SQLite that is an I/O error.
  public var isFull: Bool {
    code == SQLITE_FULL || isIOError && (systemError == ENOSPC || systemError == EDQUOT)
  }
  /// It is the user's quota that is used up, and not the disk.
  public var isQuota: Bool { isFull && systemError == EDQUOT }
  /// The system says that this user may not do that, or that there is nothing to do it with.
  public var isRefused: Bool {
    isCantOpen && [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, EISDIR].contains(systemError)
  }
  /// This process, or the whole system, has no descriptor left to open a file with.
  public var isOutOfDescriptors: Bool { systemError == EMFILE || systemError == ENFILE }
  /// Another connection holds a lock that was not released within the busy timeout.
  public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// The database file is damaged.
  public var isCorrupt: Bool { code == SQLITE_CORRUPT }
  /// The file is not a database at all.
  public var isNotADatabase: Bool { code == SQLITE_NOTADB }
  /// A constraint of the schema was violated.
  public var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  /// A write was attempted through a connection, or to a file, that cannot be written.
  public var isReadOnly: Bool { code == SQLITE_READONLY }
  /// A value or a row is larger than the limit.
  public var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// The operating system reported an error while reading, writing or syncing.
  public var isIOError: Bool { code == SQLITE_IOERR }
  /// The database file, or a file beside it, could not be opened.
  public var isCantOpen: Bool { code == SQLITE_CANTOPEN }
  /// Who reads without changing a byte met the index of the log while somebody writes it anew, or nobody does who has
  /// begun: it is whole again in a moment, or when somebody writes.
  public var isIndexUnfinished: Bool {
    extendedCode == ExtendedCode.readOnlyRecovery || extendedCode == ExtendedCode.readOnlyCantInit
  }
  /// The database was opened by somebody who writes while it was read without an index of its log.
  public var isOvertaken: Bool { extendedCode == ExtendedCode.busySnapshot }
  /// A sum of what is stored does not fit into an integer, which SQLite says by its message alone.
  public var isOverflow: Bool { code == SQLITE_ERROR && message == "integer overflow" }
  /// The statement was interrupted by an ``Interrupter``.
  public var isInterrupted: Bool { code == SQLITE_INTERRUPT }
}

extension SQLiteError: CustomStringConvertible {
  public var description: String {
    var text: String
    if let sql {
      // Composed statements can be long; their beginning tells which one it was.
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
  /// The error that a connection reported last.
  @unsafe
  static func last(of handle: OpaquePointer?, sql: String? = nil, path: String? = nil) -> Self {
    let message = unsafe sqlite3_errmsg(handle)
    return unsafe SQLiteError(
      extendedCode: sqlite3_extended_errcode(handle),
      message: message.map { unsafe String(cString: $0) } ?? "out of memory", sql: sql, path: path,
      systemError: systemError(of: handle))
  }

  /// Why the system refused what a connection did last; 0 where it did not.
  ///
  /// SQLite asks the system when a statement fails, not when a commit does; the log has kept it. An older one stays with
  /// the connection, so it counts only where the system was asked for something.
  @unsafe
  private static func systemError(of handle: OpaquePointer?) -> Int32 {
    let code = unsafe sqlite3_errcode(handle) & 0xff
    guard unsafe handle != nil, code == SQLITE_IOERR || code == SQLITE_CANTOPEN else { return 0 }
    let refusal = unsafe LogFile.of(handle)?.pointee.takeRefusal() ?? 0
    return refusal == 0 ? unsafe sqlite3_system_errno(handle) : refusal
  }

  /// The error that a result code stands for, where no connection can say more.
  static func standing(for code: Int32, sql: String? = nil, path: String? = nil) -> Self {
    unsafe SQLiteError(
      extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql, path: path)
  }
}
