#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// A folder that keeps conversations whole, with their entries in a database and their large artifacts as files.
///
/// Any number of processes may use a store at the same time. Within a process, opening a folder twice gives two handles of one
/// open store.
public final class Store: Sendable {
  let handle: StoreHandle

  /// The store's folder.
  public var url: URL { URL(filePath: handle.layout.path, directoryHint: .isDirectory) }
  /// The store's own id, which it got when it was made.
  public var id: UUID { handle.id }

  /// The options for opening a store.
  public struct Options: Sendable {
    /// The ways in which a store can be opened.
    public enum Access: Sendable, Hashable {
      /// Reads and writes; makes the store if it does not exist.
      case readWrite
      /// Reads and writes a store that exists.
      case readWriteExisting
      /// Reads without changing a byte, also from read-only media.
      ///
      /// While a process has a store open in this way only, it can't open the store for writing.
      case readOnly
    }

    /// The way in which the store is opened.
    public var access: Access
    /// How long a change waits for another process that writes to the store.
    public var patience: Duration
    /// The clock for the times of sessions, turns, attachments and invocations; an entry's time is set by its maker.
    public var now: @Sendable () -> Date
    #if canImport(Darwin)
      /// The protection of a new store's folder, database, log and artifacts; nil for the system's default.
      ///
      /// With `complete`, nothing can be read or written while the device is locked.
      public var protection: FileProtectionType?
      /// Tells whether a new store, with everything in it, goes into the device's backups.
      public var isBackedUp = true
    #endif
    /// The time without writes after which new entries are indexed for search and removals are cleared up; nil for never.
    package var searchDelay: Duration? = .milliseconds(200)
    /// Tells whether the store notes which rows change, so that ``Store/takeCommits()`` can tell others.
    package var tracksChanges = false

    /// Creates options; every value has a default.
    ///
    /// - Parameters:
    ///   - access: The way in which the store is opened.
    ///   - patience: How long a change waits for another process that writes to the store.
    ///   - now: The clock for the times that the store sets.
    public init(
      access: Access = .readWrite, patience: Duration = .seconds(30),
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.access = access
      self.patience = patience
      self.now = now
    }

    /// Options for reading without changing a byte.
    public static let readOnly = Options(access: .readOnly)
  }

  /// Opens the store in a folder, and makes it first if nothing is there and the options allow it.
  ///
  /// A folder with other content, a store of a newer version and a damaged store are refused and left unchanged.
  /// - Parameters:
  ///   - url: The store's folder, as a file URL.
  ///   - options: The options for opening the store.
  /// - Throws: A ``KeepsakeError`` that says why the store can't be opened or made.
  @concurrent
  public convenience init(at url: URL, options: Options = Options()) async throws {
    try self.init(path: FilePlace.path(of: url), options: options)
    await handle.endInterrupted()
  }

  /// Opens a store through a handle that there is.
  init(handle: StoreHandle) { self.handle = handle }

  /// Opens the store in a folder.
  ///
  /// - Parameters:
  ///   - path: The path of the store's folder.
  ///   - options: The options for opening the store.
  ///   - registry: The open stores of this process; a test that plays two processes has two registries.
  init(path: String, options: Options, registry: StoreRegistry = .shared) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    do {
      handle = try registry.open(path: path, options: options)
    } catch { throw KeepsakeError.wrap(error, store: path) }
  }

  /// Makes a store in the temporary folder, for tests and previews. Remove it with ``removeTemporary()``.
  ///
  /// - Parameter options: The options for opening the store.
  /// - Returns: The new store.
  /// - Throws: A ``KeepsakeError`` if the store can't be made.
  @concurrent
  public static func temporary(options: Options = Options()) async throws -> Store {
    let name = "\(UUID().text).keepsake"
    return try Store(
      path: FileManager.default.temporaryDirectory.path + "/" + name, options: options)
  }

  /// Finishes the queued requests and closes this handle; later calls on it and its sessions throw `closed`.
  ///
  /// The store stays open for other handles of this process. Meanwhile an artifact that was read through this handle can still
  /// be used. A handle that is not closed lets go of the store when neither the handle nor any of its sessions is referenced
  /// any more.
  public func close() async {
    await handle.close()
  }

  /// Finishes the queued requests and releases the store's locks, for all handles; the next call resumes the work.
  ///
  /// Some systems end a suspended app that holds a lock in a shared folder. Call this when the app goes into the background,
  /// after running attachments have finished. To other processes, a streaming draft counts as interrupted from then on. The
  /// task's cancellation is ignored.
  public func suspend() async {
    await handle.store.suspend()
  }

  /// Closes the store and removes its folder with everything in it.
  ///
  /// - Throws: An error of the file system if the folder can't be removed.
  public func removeTemporary() async throws {
    await close()
    try FileManager.default.removeItem(at: url)
  }
}
