#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Hands events to whoever observes this store in this process.
///
/// Our own changes say themselves what they were. What other processes did is found by comparing what stands in the
/// database with what our observers know, at the beginning of a write transaction: there the database holds nothing of
/// ours that is not told yet, and nobody else can add to it, so that no event is told twice and none out of order.
final class Hub: Sendable {
  private struct Observer {
    let session: UUID?
    let buffer: EventBuffer
    /// The handle that asked.
    let handle: ObjectIdentifier
  }

  private struct State {
    var observers: [Int: Observer] = [:]
    var next = 0
    var isClosed = false
    var baseline = Baseline()
    /// SQLite's number for what the writer's connection saw last: it changes when another process commits.
    var version: Int64?
    /// The last look failed.
    var isBehind = false
    /// The store that it tells of, while somebody observes. Not a weak reference: whatever one leads to is slower to keep
    /// and to let go of, for all who use it.
    var store: OpenStore?
    var watch: Watch?
    /// Watches that were told to stop and may still be about to.
    var retired: [Watch] = []

    /// The sessions that are observed by themselves.
    var observed: Set<UUID> { Set(observers.values.compactMap(\.session)) }
    var isListObserved: Bool { observers.values.contains { $0.session == nil } }
  }

  private let state = Locked(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Whether no thread looks at the store any more.
  var isResting: Bool {
    state.withLock { $0.watch == nil && $0.retired.allSatisfy(\.hasEnded) }
  }

  /// How often the store was looked at for changes of other processes.
  var polls: Int {
    state.withLock { state in
      (state.watch?.polls ?? 0) + state.retired.reduce(0) { $0 + $1.polls }
    }
  }
}

// MARK: - Observers

extension Hub {
  /// Makes an observer known, which hears of our own changes from here on; nil when the store is closed.
  func add(_ buffer: EventBuffer, session: UUID?, core: StoreCore) -> Int? {
    state.withLock { state in
      if state.isClosed { return nil }
      state.next += 1
      state.observers[state.next] = Observer(
        session: session, buffer: buffer, handle: ObjectIdentifier(core))
      state.store = core.store
      if state.watch == nil { state.watch = Watch(core.store) }
      return state.next
    }
  }

  /// Notes what stood when an observer began; without it, the next look tells that something may have changed.
  func begin(_ observer: Int, baseline: Baseline?) {
    state.withLock { state in
      guard let session = state.observers[observer]?.session else {
        if state.baseline.list == nil { state.baseline.list = baseline?.list ?? ListState() }
        for (id, known) in baseline?.sessions ?? [:] where state.baseline.sessions[id] == nil {
          state.baseline.sessions[id] = .some(known)
        }
        return
      }
      // Somebody who knows it in detail, or a change of ours meanwhile, comes first.
      switch state.baseline.sessions[session] {
      case .some(.some(let known)) where known.detail != nil: break
      case .some(.none): break
      default: state.baseline.sessions[session] = .some(baseline?.sessions[session] ?? nil)
      }
    }
  }

  func remove(_ observer: Int) {
    state.withLock { state in
      guard state.observers.removeValue(forKey: observer) != nil else { return }
      if !state.isListObserved {
        state.baseline.list = nil
        let observed = state.observed
        state.baseline.sessions = state.baseline.sessions.filter { observed.contains($0.key) }
      }
      guard state.observers.isEmpty else { return }
      state.store = nil
      if let watch = state.watch {
        watch.stop()
        state.retired.removeAll(where: \.hasEnded)
        state.retired.append(watch)
        state.watch = nil
      }
    }
  }

  /// Ends what one handle observes.
  func endObserving(of handle: StoreCore) {
    let ended = state.withLock { state in
      state.observers.filter { $0.value.handle == ObjectIdentifier(handle) }
    }
    for (observer, ending) in ended {
      remove(observer)
      ending.buffer.finish()
    }
  }

  /// Ends all observing, and gives what still has to come to its end.
  func close() -> [Watch] {
    let (observers, watches) = state.withLock { state in
      defer {
        state.isClosed = true
        state.observers = [:]
        state.store = nil
        state.watch = nil
        state.retired = []
      }
      return (Array(state.observers.values), state.retired + (state.watch.map { [$0] } ?? []))
    }
    for observer in observers { observer.buffer.finish() }
    for watch in watches { watch.stop() }
    return watches
  }
}

// MARK: - Our own changes

extension Hub {
  /// Tells of something that is not stored as it happens: progress, and what comes of a draft.
  func publish(_ event: StoreEvent) {
    state.withLock { Self.deliver([event], to: $0) }
  }

  /// Tells what one request of a transaction did, once that is durable.
  func publish(_ events: [StoreEvent], leaving states: [UUID: SessionState?]?) {
    state.withLock { state in
      if state.observers.isEmpty { return }
      Self.deliver(events, to: state)
      for id in Set(events.map(\.session)) {
        Self.settle(id, states?[id] ?? nil, wasRead: states?.keys.contains(id) ?? false, &state)
      }
    }
  }

  private static func settle(
    _ id: UUID, _ known: SessionState?, wasRead: Bool, _ state: inout State
  ) {
    let isWatched = state.baseline.sessions[id] != nil || state.observed.contains(id)
    guard isWatched || state.isListObserved else { return }
    if let known {
      state.baseline.sessions[id] = .some(known)
      if let newest = state.baseline.list?.newest {
        state.baseline.list?.newest = max(newest, known.number)
      }
    } else if wasRead {
      // It is deleted, which is told: nothing is left to compare with.
      state.baseline.sessions[id] = nil
    } else {
      // The observing began while the change was under way.
      state.baseline.sessions[id] = .some(nil)
    }
  }

  /// What a request leaves of the sessions that it touched, read inside of its transaction; nil when nobody observes.
  func states(after events: [StoreEvent], core: StoreCore, in db: Connection) throws
    -> [UUID: SessionState?]?
  {
    guard let observed = state.withLock({ $0.observers.isEmpty ? nil : $0.observed }) else {
      return nil
    }
    var states: [UUID: SessionState?] = [:]
    for id in Set(events.map(\.session)) {
      states[id] = .some(
        try SessionState.read(id, detailed: observed.contains(id), core: core, in: db))
    }
    return states
  }

  private static func deliver(_ events: [StoreEvent], to state: State) {
    for event in events {
      for observer in state.observers.values
      where observer.session == nil || observer.session == event.session {
        observer.buffer.add(event)
      }
    }
  }
}

// MARK: - Changes of other processes

extension Hub {
  /// Whether a look failed, so that one is due although nothing has changed since.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Looks at the beginning of a write transaction. A failure is no reason to fail what the app writes.
  func look(in db: Connection) {
    guard let store = state.withLock({ $0.store }) else { return }
    do { try reconcile(store, in: db) } catch { state.withLock { $0.isBehind = true } }
  }

  /// Tells what other processes did, where SQLite says that they did something.
  ///
  /// For a writing store at the beginning of a write transaction, before anything of ours is in it.
  func reconcile(_ store: OpenStore, in db: Connection) throws {
    let version = try db.dataVersion()
    let (baseline, observed) = state.withLock { state -> (Baseline?, Set<UUID>) in
      let isUnsure = state.baseline.sessions.values.contains { $0 == nil }
      return (
        version == state.version && !isUnsure && !state.isBehind ? nil : state.baseline,
        state.observed
      )
    }
    guard var new = baseline else { return }
    let core = StoreCore(store, options: store.options)
    let before = new
    let events = try new.look(observed: observed, core: core, in: db)
    state.withLock { state in
      state.version = version
      state.isBehind = false
      if state.observers.isEmpty { return }
      Self.deliver(events, to: state)
      // Whoever began meanwhile has brought what he knows, and it is not older than this.
      for id in before.sessions.keys where new.sessions[id] == nil {
        state.baseline.sessions[id] = nil
      }
      for (id, known) in new.sessions
      where state.baseline.sessions[id] != nil || state.isListObserved {
        if before.sessions[id] == nil, state.baseline.sessions[id] != nil { continue }
        state.baseline.sessions[id] = .some(known)
      }
      if before.list != nil, state.baseline.list != nil { state.baseline.list = new.list }
    }
  }
}
