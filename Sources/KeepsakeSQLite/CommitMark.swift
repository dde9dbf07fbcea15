import CKeepsakeSQLite

/// What the index of a database's log says of the newest commit, whoever made it, here or in another process.
///
/// While two marks are equal nobody has committed in between: what was read then is what would be read now. By these
/// bytes, which each commit changes, SQLite tells, too, whether the pages that it has in memory are still good: they count
/// the commits, and have the log's length, its salts, and a checksum over all of it.
public struct CommitMark: Equatable, Sendable {
  private let mark: keepsake_commit_mark

  @unsafe
  fileprivate init?(in index: UnsafeMutableRawPointer) {
    var mark = keepsake_commit_mark()
    guard unsafe keepsake_read_commit_mark(index, &mark) != 0 else { return nil }
    self.mark = mark
  }

  public static func == (a: CommitMark, b: CommitMark) -> Bool { a.mark.words == b.mark.words }
}

extension Connection {
  /// The mark of the newest commit, whether this connection has seen that yet or not; nil where it can't be told.
  ///
  /// It is read from the memory that all who have the database open share: without a statement, a lock, or a call to the
  /// system. What a statement reads belongs to a mark that was the same before it began and while it still runs.
  public var newestCommit: CommitMark? {
    unsafe logIndex.flatMap { unsafe CommitMark(in: $0) }
  }

  /// Where the index of the log is in memory, which it is for as long as the connection is open.
  ///
  /// Nil without a log, whose index would be made only by asking for it, and for a connection that changes no byte: that
  /// has an index of its own where it may not write to the one that is there.
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
