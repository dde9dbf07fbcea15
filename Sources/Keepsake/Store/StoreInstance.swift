#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files

/// A sign of life: a locked file that says, to other processes too, that an open store still streams its drafts.
///
/// The system lets go of the lock when the process ends, however it ends.
final class StoreInstance: Sendable {
  let id = UUID()
  private let lock: FileLock
  private let folder: Directory

  init(in folder: Directory) throws {
    self.folder = folder
    lock = try FileLock(path: folder.path + "/" + Self.name(id))
    _ = try lock.tryLock(.exclusive)
  }

  deinit {
    try? folder.unlink(Self.name(id))
  }

  private static func name(_ id: UUID) -> String { "alive-\(id.uuidString.lowercased())" }

  /// Whether the instance with this id still runs, in whatever process.
  static func isAlive(_ id: UUID, in folder: Directory) throws -> Bool {
    guard try folder.exists(name(id)) else { return false }
    let lock = try FileLock(path: folder.path + "/" + name(id))
    if try lock.tryLock(.shared) {
      try lock.unlock()
      return false
    }
    return true
  }
}

extension StoreCore {
  /// The id under which this open store streams; its sign of life is made when it is first asked for.
  func instance() throws -> UUID {
    try requireWriter()
    do {
      return try liveness.withLock { instance throws in
        if let instance { return instance.id }
        let folder = try layout.folder.subdirectory(StoreLayout.incoming, create: true)
        let made = try StoreInstance(in: folder)
        instance = made
        return made.id
      }
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// The id under which this open store streams, if it ever did.
  var streamer: UUID? { liveness.withLock { $0?.id } }

  func isAlive(_ instance: UUID) throws -> Bool {
    if liveness.withLock({ $0?.id }) == instance { return true }
    guard let folder = try? layout.folder.subdirectory(StoreLayout.incoming, create: false) else {
      return false
    }
    return try StoreInstance.isAlive(instance, in: folder)
  }
}
