import CKeepsakeSQLite

/// Identifies the newest commit of a database, by any process, from the header of the write-ahead log's index.
///
/// While two marks are equal, nobody has committed between them, so a read gives the same result. The header counts the
/// commits, and holds the log's length, salts and a checksum over the log. SQLite itself compares these bytes to decide whether
/// the pages in memory are still valid.
package struct CommitMark: Equatable, Sendable {
  private let mark: keepsake_commit_mark

  @unsafe
  fileprivate init?(in index: UnsafeMutableRawPointer) {
    var mark = keepsake_commit_mark()
    guard unsafe keepsake_read_commit_mark(index, &mark) != 0 else { return nil }
    self.mark = mark
  }

  package static func == (a: CommitMark, b: CommitMark) -> Bool { a.mark.words == b.mark.words }
}

extension Connection {
  /// The mark of the newest commit, even if this connection has not read since that commit; nil where it is unknown.
  ///
  /// Reading the mark takes no statement, no lock and no system call, because the index is in memory that all connections to
  /// the database share. What a statement reads belongs to a mark if the mark was equal before the statement began and is equal
  /// while it still runs.
  package var newestCommit: CommitMark? {
    unsafe logIndex.flatMap { unsafe CommitMark(in: $0) }
  }

  /// The address of the log's index in memory, which stays valid while the connection is open.
  ///
  /// Nil without a log, because asking SQLite for the index would create it, and for a connection with the access
  /// `readOnlyUntouched`, which may have a private index.
  @unsafe
  private var logIndex: UnsafeMutableRawPointer? {
    if let known = unsafe knownLogIndex { return unsafe known }
    guard unsafe handle != nil, access != .readOnlyUntouched,
      let log = unsafe LogFile.anyLog(of: handle), unsafe log.pointee.pMethods != nil
    else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = unsafe withUnsafeMutablePointer(to: &file) {
      unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK else { return nil }
    unsafe knownLogIndex = unsafe keepsake_log_index(file)
    return unsafe knownLogIndex
  }
}
