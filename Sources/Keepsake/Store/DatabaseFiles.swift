import KeepsakeFiles
import KeepsakeSQLite

/// The files of a database as the writer's connection has them open: it goes on writing to them wherever their names lead
/// by now, and nobody would ever read that.
///
/// Without its log, what it has is lost. Without the log's index two processes have one each, and overwrite what the other
/// one wrote.
final class DatabaseFiles: Sendable {
  private let layout: StoreLayout
  private let database: FileIdentity?
  /// The log and its index.
  private let beside = Locked<[(name: String, opened: FileIdentity)]>([])

  /// Remembers the database; to be asked for before that is opened.
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

  /// Refuses to go on where a name leads to another file, or to none.
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
