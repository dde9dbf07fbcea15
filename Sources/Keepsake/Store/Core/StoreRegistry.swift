import KeepsakeFiles

/// The open stores of this process, one ``OpenStore`` for each folder, however many handles there are.
///
/// This is the only state that the whole process shares, because SQLite's locks belong to the process.
final class StoreRegistry: Sendable {
  static let shared = StoreRegistry()

  /// The identity of a store's database, with the kind of access.
  struct Key: Hashable {
    let device: UInt64
    let inode: UInt64
    let isReadOnly: Bool
  }

  /// The state of a store in the registry: being opened, or open with a number of handles.
  private enum Slot {
    case opening
    case open(OpenStore, handles: Int)
  }

  private let slots = Monitor<[Key: Slot]>([:])

  /// The share of a handle in an open store.
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

  /// Opens a store, or shares the store that is open already, and returns the new handle.
  func open(path: String, options: Store.Options) throws -> StoreHandle {
    let layout = try StoreOpening.folder(path: path, options: options)
    guard let status = try layout.folder.status(StoreLayout.database) else {
      throw KeepsakeError.notAStore(path)
    }
    let key = Key(
      device: status.device, inode: status.inode, isReadOnly: options.access == .readOnly)
    func handle(_ store: OpenStore) -> StoreHandle {
      StoreHandle(store, options: options, registration: Registration(key: key, registry: self))
    }
    if let known = try claim(key) { return handle(known) }
    do {
      try requireWritable(key, path: path)
      let store = try StoreOpening.open(layout, options: options)
      slots.withLock { $0[key] = .open(store, handles: 1) }
      slots.broadcast()
      return handle(store)
    } catch {
      slots.withLock { $0[key] = nil }
      slots.broadcast()
      throw error
    }
  }

  /// Throws if this process has the store open for reading, because SQLite would share an index that can't be written.
  private func requireWritable(_ key: Key, path: String) throws {
    let reading = Key(device: key.device, inode: key.inode, isReadOnly: true)
    guard !key.isReadOnly, slots.withLock({ $0[reading] != nil }) else { return }
    throw KeepsakeError(
      .readOnly,
      "Can't open the store at '\(path)' for writing: this process has it open for reading. Close that first, or open it for writing before.",
      object: path)
  }

  /// Adds a handle to an open store; nil if the caller has to open the store.
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

  /// Removes a handle, and returns the store if the handle was the last.
  private func release(_ key: Key) -> OpenStore? {
    slots.withLock { slots in
      guard case .open(let store, let handles) = slots[key] else { return nil }
      slots[key] = handles > 1 ? .open(store, handles: handles - 1) : nil
      return handles > 1 ? nil : store
    }
  }
}
