#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A locked file that tells other processes that an open store still streams its drafts and writes its incoming files.
///
/// The system releases the lock when the process ends, in whatever way.
final class StoreInstance: Sendable {
  let id = UUID()
  private let lock: FileLock
  private let folder: Directory

  init(in folder: Directory) throws {
    self.folder = folder
    while true {
      let lock = try FileLock(path: folder.path + "/" + Self.name(id))
      // Nobody else knows the name. Only a sweep may look at the file between its creation and its locking.
      try lock.lock(.exclusive)
      guard try lock.isStillInPlace() else { continue }
      self.lock = lock
      return
    }
  }

  deinit {
    try? folder.unlink(Self.name(id))
  }

  static func name(_ id: UUID) -> String { namePrefix + id.text }
  static let namePrefix = "alive-"

  /// Returns the id of the instance that made a file of this name; nil for other files.
  static func id(ofName sign: String) -> UUID? {
    guard sign.hasPrefix(namePrefix),
      let id = UUID(uuidString: String(sign.dropFirst(namePrefix.count))),
      name(id) == sign
    else { return nil }
    return id
  }

  /// Returns whether the instance with an id may still run, in any process.
  ///
  /// The answer is also true if something else was put in place of the instance's file, because then nobody can tell.
  static func isAlive(_ id: UUID, in folder: Directory) throws -> Bool {
    guard let lock = try lock(named: name(id), in: folder) else {
      return try folder.exists(name(id))
    }
    guard try lock.tryLock(.shared) else { return true }
    try lock.unlock()
    return false
  }

  /// Runs the body while holding the lock of an instance that ended, and returns whether it ran.
  @discardableResult
  static func whenDead(
    named name: String, in folder: Directory, _ body: (FileStatus) throws -> Void
  ) throws -> Bool {
    guard let status = try folder.status(name), Leftovers.isOurs(status),
      let lock = try lock(named: name, in: folder)
    else { return false }
    // A process that has just created the file finds it replaced when it gets the lock, and makes another.
    guard try lock.tryLock(.exclusive), try lock.isStillInPlace() else { return false }
    defer { try? lock.unlock() }
    try body(status)
    return true
  }

  /// Opens the lock of an instance's file; nil if the file is missing, or something else is in its place.
  private static func lock(named name: String, in folder: Directory) throws -> FileLock? {
    do throws(FileError) { return try FileLock(existing: name, in: folder) } catch {
      switch error.code {
      case .notFound, .link, .notRegular, .permissionDenied: return nil
      default: throw error
      }
    }
  }
}

extension StoreHandle {
  /// Returns the id under which this open store streams, and makes the instance file if needed.
  func instance() throws -> UUID {
    try requireWriter()
    do { return try store.liveness.id() } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// The id under which this open store streams; nil if it never did.
  var streamer: UUID? { store.liveness.current }

  func isAlive(_ instance: UUID) throws -> Bool { try store.liveness.isAlive(instance) }
}
