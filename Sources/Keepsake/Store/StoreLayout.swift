import Files

/// Where things are in a store's folder.
struct StoreLayout: Sendable {
  static let database = "store.sqlite"
  static let lock = "store.lock"
  static let queue = "queue.lock"
  static let sweepLock = "sweep.lock"
  static let artifacts = "artifacts"
  static let incoming = "incoming"
  static let cache = "cache"

  /// The folder as the caller named it, for messages.
  let path: String
  let folder: Directory

  /// Whether another store, or nothing, is now where this one was. For explaining errors: it opens the folder again.
  var isReplaced: Bool {
    guard let ours = try? folder.status(Self.database),
      let there = try? Directory(path: folder.path).status(Self.database)
    else { return true }
    return ours.inode != there.inode || ours.device != there.device
  }

  var databasePath: String { folder.path + "/" + Self.database }
  var lockPath: String { folder.path + "/" + Self.lock }
  var queuePath: String { folder.path + "/" + Self.queue }
  var sweepLockPath: String { folder.path + "/" + Self.sweepLock }
}
