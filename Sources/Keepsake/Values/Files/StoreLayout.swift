import KeepsakeFiles

/// The names and paths of the files and folders in a store.
struct StoreLayout: Sendable {
  static let database = "store.sqlite"
  // allow(database-file): a name, to look at
  static let log = database + "-wal"
  // allow(database-file): a name, to look at
  static let logIndex = database + "-shm"
  static let lock = "store.lock"
  static let queue = "queue.lock"
  static let sweepLock = "sweep.lock"
  static let syncLock = "sync.lock"
  static let artifacts = "artifacts"
  static let incoming = "incoming"
  static let cache = "cache"
  static let reserve = "reserve"

  /// The files that only SQLite may open: the database, its log, the log's index, and a journal of another mode.
  // allow(database-file): the names are listed so that nobody opens them
  static let databaseFiles = [database, log, logIndex, database + "-journal"]

  /// The store's folder as the caller named it, for messages.
  let path: String
  let folder: Directory
  /// Keeps this process from opening the database's files other than through SQLite, while a copy of this layout exists.
  private let guarded: GuardedFiles

  init(path: String, folder: Directory) {
    self.path = path
    self.folder = folder
    guarded = GuardedFiles(Self.databaseFiles, in: folder)
  }

  /// Tells whether another store, or nothing, is now at the store's path; false if that can't be determined.
  ///
  /// This opens the folder again, and serves to explain errors.
  var isReplaced: Bool {
    do {
      let ours = try folder.status(Self.database)
      let there = try Directory(path: folder.path).status(Self.database)
      return ours == nil || ours?.inode != there?.inode || ours?.device != there?.device
    } catch {
      return error.code == .notFound || error.code == .notDirectory
    }
  }

  var databasePath: String { folder.path + "/" + Self.database }
  var lockPath: String { folder.path + "/" + Self.lock }
  var queuePath: String { folder.path + "/" + Self.queue }
  var sweepLockPath: String { folder.path + "/" + Self.sweepLock }
  var syncLockPath: String { folder.path + "/" + Self.syncLock }
}
