#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Passes events to the observers of this store in this process.
///
/// Changes of this process bring their own events. Changes of other processes are found by comparing the database with the
/// observers' baseline, at the beginning of a write transaction. At that moment the database has no change of ours that was not
/// told, and nobody else can write, so that no event comes twice or out of order.
final class Observers: Sendable {
  /// An observer of one session, or of all sessions.
  private struct Observer {
    let session: UUID?
    let buffer: EventBuffer
    /// The store handle that asked for the events.
    let handle: ObjectIdentifier
  }

  /// The observers, and the state of the store that they know.
  private struct State {
    var observers: [Int: Observer] = [:]
    var next = 0
    var isClosed = false
    var baseline = Baseline()
    /// SQLite's `data_version` at the writer's last look; it changes when another process commits.
    var version: Int64?
    /// Tells whether the last look failed.
    var isBehind = false
    /// The open store, while there are observers.
    ///
    /// The reference is not weak, because a weak reference makes retaining and releasing the store slower for all its users.
    var store: OpenStore?
    var watch: Watch?
    /// The watches that were told to stop and may still be running.
    var retired: [Watch] = []
    /// The watch of the hub, while there are observers of a store that shares the hub's sessions.
    var hubWatch: HubWatch?

    /// The sessions that have observers of their own.
    var observed: Set<UUID> { Set(observers.values.compactMap(\.session)) }
    var isListObserved: Bool { observers.values.contains { $0.session == nil } }

    /// Begins to watch the hub whose sessions the store shares, unless the hub is watched already.
    mutating func watchHub() {
      guard hubWatch == nil, let sharing = store?.sharing else { return }
      hubWatch = HubWatch(sharing)
    }
  }

  private let state = Locked(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Tells whether no thread watches the store any more.
  var isResting: Bool {
    state.withLock { $0.watch == nil && $0.retired.allSatisfy(\.hasEnded) }
  }

  /// The number of looks at the store for changes of other processes.
  var polls: Int {
    state.withLock { state in
      (state.watch?.polls ?? 0) + state.retired.reduce(0) { $0 + $1.polls }
    }
  }
}

// MARK: - Observers

extension Observers {
  /// Adds an observer, which gets this process's changes from now on; nil if the store is closed.
  func add(_ buffer: EventBuffer, session: UUID?, handle: StoreHandle) -> Int? {
    state.withLock { state in
      if state.isClosed { return nil }
      state.next += 1
      state.observers[state.next] = Observer(
        session: session, buffer: buffer, handle: ObjectIdentifier(handle))
      state.store = handle.store
      if state.watch == nil { state.watch = Watch(handle.store) }
      state.watchHub()
      return state.next
    }
  }

  /// Sets the baseline of a new observer; if it is nil, the next look reports that something may have changed.
  func begin(_ observer: Int, baseline: Baseline?) {
    state.withLock { state in
      guard let session = state.observers[observer]?.session else {
        if state.baseline.list == nil { state.baseline.list = baseline?.list ?? ListState() }
        for (id, known) in baseline?.sessions ?? [:] where state.baseline.sessions[id] == nil {
          state.baseline.sessions[id] = .some(known)
        }
        return
      }
      // A more detailed state, or a change of ours in the meantime, takes precedence over the new baseline.
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
      state.hubWatch.take()?.stop()
      if let watch = state.watch {
        watch.stop()
        state.retired.removeAll(where: \.hasEnded)
        state.retired.append(watch)
        state.watch = nil
      }
    }
  }

  /// Ends the observers of one store handle.
  func endObserving(of handle: StoreHandle) {
    let ended = state.withLock { state in
      state.observers.filter { $0.value.handle == ObjectIdentifier(handle) }
    }
    for (observer, ending) in ended {
      remove(observer)
      ending.buffer.finish()
    }
  }

  /// Ends all observers, and returns the watches that must still be joined.
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

// MARK: - The hub of a store that shares sessions

extension Observers {
  /// The sessions that have observers of their own, and whether somebody observes all sessions.
  var subjects: (sessions: Set<UUID>, isListObserved: Bool) {
    state.withLock { ($0.observed, $0.isListObserved) }
  }

  /// The error of the last look at the hub; nil if that look succeeded, or nobody observes the store.
  var hubFailure: KeepsakeError? { state.withLock { $0.hubWatch }?.failure }

  /// Begins to watch the hub whose sessions the store shares from now on, if anybody observes the store.
  func watchHub() { state.withLock { $0.watchHub() } }

  /// Ends watching the hub, and waits for the look that is under way.
  func endWatchingHub() async {
    let watch = state.withLock { $0.hubWatch.take() }
    watch?.stop()
    await watch?.join()
  }
}

// MARK: - Our own changes

extension Observers {
  /// Publishes an event that is not stored as it happens: progress, or new text of a draft.
  func publish(_ event: StoreEvent) {
    state.withLock { Self.deliver([event], to: $0) }
  }

  /// Publishes the events of a request after its transaction is durable.
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
      // The session was deleted, which its event tells: there is nothing left to compare with.
      state.baseline.sessions[id] = nil
    } else {
      // The observer began during the change, so the state is unknown.
      state.baseline.sessions[id] = .some(nil)
    }
  }

  /// Reads the states of the sessions that a request changed, inside its transaction; nil if nobody observes.
  func states(after events: [StoreEvent], handle: StoreHandle, in db: Tables) throws
    -> [UUID: SessionState?]?
  {
    guard let observed = state.withLock({ $0.observers.isEmpty ? nil : $0.observed }) else {
      return nil
    }
    var states: [UUID: SessionState?] = [:]
    for id in Set(events.map(\.session)) {
      states[id] = .some(
        try SessionState.read(id, detailed: observed.contains(id), handle: handle, in: db))
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

extension Observers {
  /// Tells whether a look failed, so that another is due although nothing has changed since.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Looks for changes at the beginning of a write transaction; a failure does not fail the app's write.
  func look(in db: Tables) {
    guard let store = state.withLock({ $0.store }) else { return }
    do { try reconcile(store, in: db) } catch { state.withLock { $0.isBehind = true } }
  }

  /// Publishes the changes of other processes, if SQLite says that there are any.
  ///
  /// In a store that is open for writing this must run at the beginning of a write transaction, before any change of ours.
  func reconcile(_ store: OpenStore, in db: Tables) throws {
    let version = try db.files.dataVersion()
    let (baseline, observed) = state.withLock { state -> (Baseline?, Set<UUID>) in
      let isUnsure = state.baseline.sessions.values.contains { $0 == nil }
      return (
        version == state.version && !isUnsure && !state.isBehind ? nil : state.baseline,
        state.observed
      )
    }
    guard var new = baseline else { return }
    let handle = StoreHandle(store, options: store.options)
    let before = new
    let events = try new.look(observed: observed, handle: handle, in: db)
    state.withLock { state in
      state.version = version
      state.isBehind = false
      if state.observers.isEmpty { return }
      Self.deliver(events, to: state)
      // An observer that began in the meantime has brought its own baseline, which is at least as new.
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
