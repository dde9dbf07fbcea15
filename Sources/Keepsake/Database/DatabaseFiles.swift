import KeepsakeFiles
import KeepsakeSQLite

/// Remembers which files the writer's connection has open, and checks that they are still at their paths.
///
/// SQLite would go on writing to its open files after they were moved or replaced, and nobody would read them again. If the log
/// was removed, the commits in it are lost. If the log's index was removed, two processes would use different indexes and
/// overwrite each other's commits.
final class DatabaseFiles: Sendable {
  private let layout: StoreLayout
  private let database: FileIdentity?
  /// The identities of the log and its index.
  private let beside = Locked<[(name: String, opened: FileIdentity)]>([])

  /// Remembers the database file; must run before the database is opened.
  init(_ layout: StoreLayout) throws(FileError) {
    self.layout = layout
    database = try layout.folder.identity(of: StoreLayout.database)
  }

  /// Remembers the log and its index, which a connection opens when it first reads.
  func rememberLog() throws {
    for name in [StoreLayout.log, StoreLayout.logIndex] {
      guard let opened = try layout.folder.identity(of: name) else { throw WriterError.logReplaced }
      beside.withLock { $0.append((name, opened)) }
    }
  }

  /// Throws if a path leads to another file or to none.
  func requireInPlace() throws {
    guard let database, try layout.folder.identity(of: StoreLayout.database) == database else {
      throw WriterError.storeReplaced
    }
    try beside.withLock { files in
      for file in files where try layout.folder.identity(of: file.name) != file.opened {
        throw WriterError.logReplaced
      }
    }
  }
}
