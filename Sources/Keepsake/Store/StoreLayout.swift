import Files

/// Where things are in a store's folder.
struct StoreLayout: Sendable {
  static let database = "store.sqlite"
  static let lock = "store.lock"
  static let sweepLock = "sweep.lock"
  static let artifacts = "artifacts"
  static let incoming = "incoming"
  static let cache = "cache"

  /// The folder as the caller named it, for messages.
  let path: String
  let folder: Directory

  var databasePath: String { folder.path + "/" + Self.database }
  var lockPath: String { folder.path + "/" + Self.lock }
  var sweepLockPath: String { folder.path + "/" + Self.sweepLock }
}
