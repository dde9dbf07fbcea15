#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The instance file of one open store, which is made when it is first needed.
final class Liveness: Sendable {
  private let layout: StoreLayout
  private let instance = Locked<StoreInstance?>(nil)
  /// The ids of earlier instances, from before the app was suspended.
  private let earlier = Locked<Set<UUID>>([])

  init(_ layout: StoreLayout) { self.layout = layout }

  /// Returns the id under which this open store streams and writes, and makes the instance file if needed.
  func id() throws -> UUID {
    try instance.withLock { instance throws in
      if let instance { return instance.id }
      let folder = try layout.folder.subdirectory(StoreLayout.incoming, create: true)
      let made = try StoreInstance(in: folder)
      instance = made
      return made.id
    }
  }

  /// The id under which this open store streams; nil if it never did.
  var current: UUID? { instance.withLock { $0?.id } }

  func isAlive(_ id: UUID) throws -> Bool {
    if current == id || earlier.withLock({ $0.contains(id) }) { return true }
    guard let folder = try? layout.folder.subdirectory(StoreLayout.incoming, create: false) else {
      return false
    }
    return try StoreInstance.isAlive(id, in: folder)
  }

  /// Removes the instance file: other processes then count this store's drafts as interrupted, but this process does not.
  func end() {
    instance.withLock { instance in
      if let instance { _ = earlier.withLock { $0.insert(instance.id) } }
      instance = nil
    }
  }
}
