#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A sign of life: a locked file that says, to other processes too, that an open store still streams its drafts and
/// writes its incoming files.
///
/// The system lets go of the lock when the process ends, however it ends.
final class StoreInstance: Sendable {
  let id = UUID()
  private let lock: FileLock
  private let folder: Directory

  init(in folder: Directory) throws {
    self.folder = folder
    while true {
      let lock = try FileLock(path: folder.path + "/" + Self.name(id))
      // Nobody else knows this name. Only a sweep may look at it, between its making and its locking.
      try lock.lock(.exclusive)
      guard try lock.isStillInPlace() else { continue }
      self.lock = lock
      return
    }
  }

  deinit {
    try? folder.unlink(Self.name(id))
  }

  static func name(_ id: UUID) -> String { namePrefix + id.uuidString.lowercased() }
  static let namePrefix = "alive-"

  /// The instance whose sign of life has this name.
  static func id(ofName sign: String) -> UUID? {
    guard sign.hasPrefix(namePrefix),
      let id = UUID(uuidString: String(sign.dropFirst(namePrefix.count))),
      name(id) == sign
    else { return nil }
    return id
  }

  /// Whether the instance with this id may still run, in whatever process.
  ///
  /// True, too, where something else was put in the place of its sign of life: then nobody can tell.
  static func isAlive(_ id: UUID, in folder: Directory) throws -> Bool {
    guard let lock = try lock(named: name(id), in: folder) else {
      return try folder.exists(name(id))
    }
    guard try lock.tryLock(.shared) else { return true }
    try lock.unlock()
    return false
  }

  /// Runs the body while nobody can take the sign of life of an instance that ended; says whether it did.
  @discardableResult
  static func whenDead(
    named name: String, in folder: Directory, _ body: (FileStatus) throws -> Void
  ) throws -> Bool {
    guard let status = try folder.status(name), Leftovers.isOurs(status),
      let lock = try lock(named: name, in: folder)
    else { return false }
    // Whoever just made it finds it gone when the lock comes, and makes another.
    guard try lock.tryLock(.exclusive), try lock.isStillInPlace() else { return false }
    defer { try? lock.unlock() }
    try body(status)
    return true
  }

  /// A sign of life, opened to be asked; nil where it is gone, or something else is in its place.
  private static func lock(named name: String, in folder: Directory) throws -> FileLock? {
    do throws(FileError) { return try FileLock(existing: name, in: folder) } catch {
      switch error.code {
      case .notFound, .link, .notRegular, .permissionDenied: return nil
      default: throw error
      }
    }
  }
}

/// The sign of life of one open store, made when it is first needed.
final class Liveness: Sendable {
  private let layout: StoreLayout
  private let instance = Locked<StoreInstance?>(nil)
  /// The ids of before, as an app was suspended and went on.
  private let earlier = Locked<Set<UUID>>([])

  init(_ layout: StoreLayout) { self.layout = layout }

  /// The id under which this open store streams and writes.
  func id() throws -> UUID {
    try instance.withLock { instance throws in
      if let instance { return instance.id }
      let folder = try layout.folder.subdirectory(StoreLayout.incoming, create: true)
      let made = try StoreInstance(in: folder)
      instance = made
      return made.id
    }
  }

  /// The id under which this open store streams, if it ever did.
  var current: UUID? { instance.withLock { $0?.id } }

  func isAlive(_ id: UUID) throws -> Bool {
    if current == id || earlier.withLock({ $0.contains(id) }) { return true }
    guard let folder = try? layout.folder.subdirectory(StoreLayout.incoming, create: false) else {
      return false
    }
    return try StoreInstance.isAlive(id, in: folder)
  }

  /// Gives no sign of life any more: to other processes what it had is interrupted, but not to itself.
  func end() {
    instance.withLock { instance in
      if let instance { _ = earlier.withLock { $0.insert(instance.id) } }
      instance = nil
    }
  }
}

extension StoreCore {
  /// The id under which this open store streams.
  func instance() throws -> UUID {
    try requireWriter()
    do { return try store.liveness.id() } catch {
      throw KeepsakeError.wrap(error, store: layout.path)
    }
  }

  /// The id under which this open store streams, if it ever did.
  var streamer: UUID? { store.liveness.current }

  func isAlive(_ instance: UUID) throws -> Bool { try store.liveness.isAlive(instance) }
}
