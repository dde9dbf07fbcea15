import Files

/// The stores that this process has open: one core per folder, however many handles there are.
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
    case open(StoreCore, handles: Int)
  }

  private let slots = Monitor<[Key: Slot]>([:])

  /// One handle's share of an open store.
  final class Registration: Sendable {
    let core: StoreCore
    private let key: Key
    private let registry: StoreRegistry
    private let isClosed = Locked(false)

    init(core: StoreCore, key: Key, registry: StoreRegistry) {
      self.core = core
      self.key = key
      self.registry = registry
    }

    deinit {
      guard !isClosed.withLock({ $0 }), let core = registry.release(key) else { return }
      Task.detached { await core.close() }
    }

    func close() async {
      let first = isClosed.withLock { closed in
        defer { closed = true }
        return !closed
      }
      guard first, let core = registry.release(key) else { return }
      await core.close()
    }
  }

  func open(path: String, options: Store.Options) throws -> Registration {
    let layout = try StoreOpening.folder(path: path, options: options)
    guard let status = try layout.folder.status(StoreLayout.database) else {
      throw KeepsakeError.notAStore(path)
    }
    let key = Key(
      device: status.device, inode: status.inode, isReadOnly: options.access == .readOnly)
    if let known = try claim(key) { return Registration(core: known, key: key, registry: self) }
    do {
      let core = try StoreOpening.open(layout, options: options)
      slots.withLock { $0[key] = .open(core, handles: 1) }
      slots.broadcast()
      return Registration(core: core, key: key, registry: self)
    } catch {
      slots.withLock { $0[key] = nil }
      slots.broadcast()
      throw error
    }
  }

  /// Takes a share of an open store, or the task of opening it.
  private func claim(_ key: Key) throws -> StoreCore? {
    let claimed: StoreCore?? = slots.wait(until: nil) { slots in
      switch slots[key] {
      case .opening: return nil
      case .open(let core, let handles):
        slots[key] = .open(core, handles: handles + 1)
        return .some(core)
      case nil:
        slots[key] = .opening
        return .some(nil)
      }
    }
    return claimed ?? nil
  }

  /// Gives a share back; the core, if it was the last.
  private func release(_ key: Key) -> StoreCore? {
    slots.withLock { slots in
      guard case .open(let core, let handles) = slots[key] else { return nil }
      slots[key] = handles > 1 ? .open(core, handles: handles - 1) : nil
      return handles > 1 ? nil : core
    }
  }
}
