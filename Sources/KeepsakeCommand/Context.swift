#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The terminal, environment and clock that a command uses.
struct Context: Sendable {
  let terminal: Terminal
  let environment: [String: String]
  let now: @Sendable () -> Date

  /// Returns the path of the store that the arguments or the environment name; nil if neither does.
  func store(_ arguments: Arguments<some Command>) -> String? {
    arguments.common.store
      ?? environment["KEEPSAKE_STORE"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Context {
  /// The ways in which a command uses its store.
  enum Access {
    /// Reads without changing a byte.
    case reading
    /// Reads, and writes only where that helps.
    ///
    /// The command updates the search index, and sees what others write from now on, even if nobody has the store open yet.
    case takingPart
    /// Writes into a store that exists.
    case writing
    /// Writes, and makes the store if it does not exist.
    case creating
  }

  /// Returns whether there is a file or folder at the path of the command's store.
  func hasStore(_ arguments: Arguments<some Command>) throws -> Bool {
    FileStatus(path: try store(arguments) ?? defaultStore()) != nil
  }

  /// Opens the command's store, runs the body, and closes the store, also after an error.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, which may name the store.
  ///   - access: The way in which the store is used.
  ///   - reachesHub: Whether a store that shares the sessions of a hub is opened together with it.
  ///   - body: What is done with the store.
  func withStore<Result>(
    _ arguments: Arguments<some Command>, for access: Access, reachingHub reachesHub: Bool = true,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await openStore(arguments, for: access, reachingHub: reachesHub)
    do {
      let result = try await body(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }

  /// Opens the command's store, which the caller must close.
  func openStore(
    _ arguments: Arguments<some Command>, for access: Access, reachingHub reachesHub: Bool = true
  ) async throws -> Store {
    let store = try await open(arguments, for: access, reachingHub: reachesHub)
    do { try warn(of: store) } catch {
      await store.close()
      throw error
    }
    return store
  }

  private func open(
    _ arguments: Arguments<some Command>, for access: Access, reachingHub reachesHub: Bool
  ) async throws -> Store {
    let given = store(arguments)
    let path = try given ?? defaultStore()
    let url = URL(filePath: path)
    return try await CouldNotRun.opening {
      let store = try await openAlone(arguments, for: access, at: url, isGiven: given != nil)
      if !reachesHub || arguments.common.readOnly { return store }
      return try await reachingHub(store)
    }
  }

  /// Returns a store that was opened alone together with the hub whose sessions it shares, if it does: reading, too, asks the hub
  /// for the newest.
  func reachingHub(_ store: Store) async throws -> Store {
    guard let address = try store.sharedHub() else { return store }
    await store.close()
    return try await Store(
      at: store.url, joining: hub(address), as: .shared, options: .init(access: .readWriteExisting))
  }

  /// Opens a store without its hub.
  private func openAlone(
    _ arguments: Arguments<some Command>, for access: Access, at url: URL, isGiven: Bool
  ) async throws -> Store {
    switch access {
    case _ where arguments.common.readOnly, .reading:
      return try await Store(at: url, options: .readOnly)
    case .takingPart:
      do {
        return try await Store(at: url, options: .init(access: .readWriteExisting))
      } catch let error as KeepsakeError
        where error.code == .permissionDenied || error.code == .readOnly
      {
        return try await Store(at: url, options: .readOnly)
      }
    case .writing: return try await Store(at: url, options: .init(access: .readWriteExisting))
    case .creating:
      if !isGiven {
        try ForeignRoot.refuse(making: url.path)
        try Self.makeFolder(url.deletingLastPathComponent())
      }
      return try await Store(at: url)
    }
  }

  /// Prints a warning if other users than the store's owner may change it.
  func warn(of store: Store) throws {
    let writers = try store.writers()
    if writers == .owner { return }
    let path = store.url.path
    try terminal.note(
      "keepsake: \(writers == .everyone ? "Everybody" : "A whole group of users") may write to the store at '\(path)', and so change or remove what is kept. Take that right away: chmod -R go-w '\(path)'"
    )
  }

  /// Makes the data folder of a person who has none.
  private static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        message:
          "Can't make the folder '\(folder.path)' for your store. Name a store with --store PATH, or set KEEPSAKE_STORE.",
        code: .couldNotRun)
    }
  }

  /// Returns the path of the store in the person's data folder, for when no store is named.
  func defaultStore() throws -> String {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    #if canImport(Darwin)
      let data = home.map { "\($0)/Library/Application Support" }
    #else
      let data =
        environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        ?? home.map { "\($0)/.local/share" }
    #endif
    guard let data else {
      throw CommandError(
        message:
          "Can't find your data folder: HOME is not set. Name the store with --store PATH, or set KEEPSAKE_STORE.",
        code: .couldNotRun)
    }
    return "\(data)/keepsake/Default.keepsake"
  }
}
