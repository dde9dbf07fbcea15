#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files

/// Hands events to whoever observes this store in this process.
final class Hub: Sendable {
  private struct State {
    var observers: [Int: (session: UUID?, continuation: AsyncStream<StoreEvent>.Continuation)] = [:]
    var next = 0
    var isClosed = false
  }

  private let state = Locked(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// The sessions that are observed; nil among them stands for all.
  var observed: Set<UUID?> { state.withLock { Set($0.observers.values.map(\.session)) } }

  func publish(_ event: StoreEvent) {
    let continuations = state.withLock { state in
      state.observers.values.filter { $0.session == nil || $0.session == event.session }
        .map(\.continuation)
    }
    for continuation in continuations { continuation.yield(event) }
  }

  /// The events of one session, or of all, from now on.
  func events(of session: UUID?) -> AsyncStream<StoreEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: StoreEvent.self)
    let id: Int? = state.withLock { state in
      if state.isClosed { return nil }
      state.next += 1
      state.observers[state.next] = (session, continuation)
      return state.next
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }
    return stream
  }

  func close() {
    let observers = state.withLock { state in
      state.isClosed = true
      let observers = state.observers
      state.observers = [:]
      return observers
    }
    for observer in observers.values { observer.continuation.finish() }
  }
}
