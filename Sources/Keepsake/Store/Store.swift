#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A folder that keeps conversations whole: their entries in a database, their large artifacts as files.
///
/// Any number of processes may use one store at a time. Within a process, opening the same folder twice gives two
/// handles of one open store.
public final class Store: Sendable {
  let core: StoreCore

  /// The folder.
  public var url: URL { URL(filePath: core.layout.path, directoryHint: .isDirectory) }
  /// Its own identifier, given when it was made.
  public var id: UUID { core.id }

  /// How to open a store.
  public struct Options: Sendable {
    public enum Access: Sendable, Hashable {
      /// Reads and writes; makes the store where there is none.
      case readWrite
      /// Reads and writes a store that is there.
      case readWriteExisting
      /// Reads without changing a byte, also from read-only media. While a process has a store open so, and not for
      /// writing, it can't open it for writing.
      case readOnly
    }

    public var access: Access
    /// How long a change waits for another process to let go of the store.
    public var patience: Duration
    /// The clock that the times of sessions, turns, attachments and runs are taken from. An entry says itself when it was
    /// made.
    public var now: @Sendable () -> Date
    #if canImport(Darwin)
      /// How the system protects the files of a store that is made: folder, database, log and artifacts alike. Nil for
      /// its own default. With `complete`, nothing can be read or written while the device is locked.
      public var protection: FileProtectionType?
      /// Whether a store that is made goes into the device's backups, with all that is in it.
      public var isBackedUp = true
    #endif
    /// How long nobody must have written before new entries are indexed for search, and before what is left of removals
    /// is cleared up; nil for never.
    package var searchDelay: Duration? = .milliseconds(200)

    public init(
      access: Access = .readWrite, patience: Duration = .seconds(30),
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.access = access
      self.patience = patience
      self.now = now
    }

    public static let readOnly = Options(access: .readOnly)
  }

  /// Opens the store in a folder, and makes it first where there is nothing and the options allow it.
  ///
  /// A folder that holds something else, a store of a newer version or a damaged one is refused and left as it is.
  @concurrent
  public convenience init(at url: URL, options: Options = Options()) async throws {
    try self.init(path: FilePlace.path(of: url), options: options)
    await core.endInterrupted()
  }

  /// - Parameter registry: Where this process's open stores are; tests that stand in for two processes have two.
  init(path: String, options: Options, registry: StoreRegistry = .shared) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    do {
      core = try registry.open(path: path, options: options)
    } catch { throw KeepsakeError.wrap(error, store: path) }
  }

  /// Makes a store in the temporary folder, for tests and previews. Remove it with `removeTemporary`.
  @concurrent
  public static func temporary(options: Options = Options()) async throws -> Store {
    let name = "\(UUID().uuidString.lowercased()).keepsake"
    return try Store(
      path: FileManager.default.temporaryDirectory.path + "/" + name, options: options)
  }

  /// Finishes what is queued and lets go of the store; later calls of it and of its sessions throw `closed`.
  ///
  /// The store stays open for other handles of this process, and what was read through this one, such as an artifact,
  /// can be used as long as it is. A handle that is not closed lets go of the store when nobody has it, nor any of its
  /// sessions, any more.
  public func close() async {
    await core.close()
  }

  /// Finishes what is queued and lets go of the store's locks, for all its handles; the next call takes up again.
  ///
  /// For apps whose system ends them when they are suspended with a lock in a folder that they share: call it when the
  /// app goes into the background, and wait for what still attaches bytes before. To other processes, a draft that is
  /// streaming counts as interrupted from then on. Not stopped by the caller's cancellation.
  public func suspend() async {
    await core.store.suspend()
  }

  /// Closes a store and removes its folder with all that is in it.
  public func removeTemporary() async throws {
    await close()
    try FileManager.default.removeItem(at: url)
  }
}
