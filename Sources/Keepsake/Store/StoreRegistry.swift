import KeepsakeFiles

/// The stores that this process has open: one `OpenStore` per folder, however many handles there are.
///
/// The one piece of state that is shared by the whole process, because the promise is about the process.
final class StoreRegistry: Sendable {
  static let shared = StoreRegistry()

  struct Key: Hashable {
    let device: UInt64
    let inode: UInt64
    let isReadOnly: Bool
  }

  private enum Slot {
    case opening
    case open(OpenStore, handles: Int)
  }

  private let slots = Monitor<[Key: Slot]>([:])

  /// One handle's share of an open store.
  final class Registration: Sendable {
    private let key: Key
    private let registry: StoreRegistry
    private let isClosed = Locked(false)

    init(key: Key, registry: StoreRegistry) {
      self.key = key
      self.registry = registry
    }

    deinit {
      guard !isClosed.withLock({ $0 }), let store = registry.release(key) else { return }
      Task.detached { await store.close() }
    }

    func close() async {
      let first = isClosed.withLock { closed in
        defer { closed = true }
        return !closed
      }
      guard first, let store = registry.release(key) else { return }
      await store.close()
    }
  }

  /// Opens a store, or takes a share of the one that is open; gives a handle's way into it.
  func open(path: String, options: Store.Options) throws -> StoreCore {
    let layout = try StoreOpening.folder(path: path, options: options)
    guard let status = try layout.folder.status(StoreLayout.database) else {
      throw KeepsakeError.notAStore(path)
    }
    let key = Key(
      device: status.device, inode: status.inode, isReadOnly: options.access == .readOnly)
    func core(_ store: OpenStore) -> StoreCore {
      StoreCore(store, options: options, registration: Registration(key: key, registry: self))
    }
    if let known = try claim(key) { return core(known) }
    do {
      try requireWritable(key, path: path)
      let store = try StoreOpening.open(layout, options: options)
      slots.withLock { $0[key] = .open(store, handles: 1) }
      slots.broadcast()
      return core(store)
    } catch {
      slots.withLock { $0[key] = nil }
      slots.broadcast()
      throw error
    }
  }

  /// SQLite has one view of the log's index in a process, and a reader's can't be written.
  private func requireWritable(_ key: Key, path: String) throws {
    let reading = Key(device: key.device, inode: key.inode, isReadOnly: true)
    guard !key.isReadOnly, slots.withLock({ $0[reading] != nil }) else { return }
    throw KeepsakeError(
      .readOnly,
      "Can't open the store at '\(path)' for writing: this process has it open for reading. Close that first, or open it for writing before.",
      object: path)
  }

  /// Takes a share of an open store, or the task of opening it.
  private func claim(_ key: Key) throws -> OpenStore? {
    let claimed: OpenStore?? = slots.wait(until: nil) { slots in
      switch slots[key] {
      case .opening: return nil
      case .open(let store, let handles):
        slots[key] = .open(store, handles: handles + 1)
        return .some(store)
      case nil:
        slots[key] = .opening
        return .some(nil)
      }
    }
    return claimed ?? nil
  }

  /// Gives a share back; the store, if it was the last.
  private func release(_ key: Key) -> OpenStore? {
    slots.withLock { slots in
      guard case .open(let store, let handles) = slots[key] else { return nil }
      slots[key] = handles > 1 ? .open(store, handles: handles - 1) : nil
      return handles > 1 ? nil : store
    }
  }
}
