#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The events that one observer has not taken yet.
///
/// The buffer stays small even if the observer is slow: consecutive appends are merged, only the last state of a draft or an
/// invocation is kept, and if too many events wait, one event for each session replaces them.
final class EventBuffer: Sendable {
  static let limit = 256

  /// The waiting events, and the number of events above which they are collapsed.
  private struct State {
    var events: [StoreEvent] = []
    var limit = EventBuffer.limit
  }

  private let state = Locked(State())
  /// A stream with at most one waiting signal, which says that there are events, and not how many.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() {
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func add(_ event: StoreEvent) {
    state.withLock { state in
      if Self.merge(event, into: &state.events) { return }
      state.events.append(event)
      guard state.events.count > state.limit else { return }
      state.events = Self.collapsed(state.events)
      // If very many sessions change, collapsing at each event would cost more than it saves, so the limit grows.
      state.limit = max(Self.limit, state.events.count * 2)
    }
    signal.yield()
  }

  /// Takes the oldest event; nil if there is none.
  func take() -> StoreEvent? {
    state.withLock { state in
      if state.events.isEmpty { return nil }
      // At most some hundred events wait, so removing the first is cheap.
      return state.events.removeFirst()
    }
  }

  /// Ends the sequence after the waiting events are taken.
  func finish() { signal.finish() }

  /// Sets an action for when the observing task is cancelled or the sequence has ended.
  func whenCancelled(_ action: @escaping @Sendable () -> Void) {
    signal.onTermination = { _ in action() }
  }

  /// Merges an event into a waiting event, if one event can stand for both.
  private static func merge(_ event: StoreEvent, into events: inout [StoreEvent]) -> Bool {
    switch event {
    case .appended(let session, let new):
      guard case .appended(session, let old) = events.last, old.upperBound == new.lowerBound else {
        return false
      }
      events[events.count - 1] = .appended(
        session: session, positions: old.lowerBound..<new.upperBound)
      return true
    case .draft(_, let new):
      return replace(in: &events, with: event) {
        if case .draft(_, let old) = $0 { old.id == new.id } else { false }
      }
    case .progress(_, let new, _, _):
      return replace(in: &events, with: event) {
        if case .progress(_, let old, _, _) = $0 { old == new } else { false }
      }
    default: return false
    }
  }

  /// Replaces the earlier state of the same thing with a later one, at its place in the order.
  private static func replace(
    in events: inout [StoreEvent], with event: StoreEvent, where isSame: (StoreEvent) -> Bool
  ) -> Bool {
    guard let index = events.lastIndex(where: isSame) else { return false }
    events[index] = event
    return true
  }

  /// Returns one event for each session, in the order of the sessions' first events.
  private static func collapsed(_ events: [StoreEvent]) -> [StoreEvent] {
    var places: [UUID: Int] = [:]
    var result: [StoreEvent] = []
    for event in events {
      let place = places[event.session] ?? result.count
      if place == result.count {
        places[event.session] = place
        result.append(.changedElsewhere(session: event.session))
      }
      if case .deleted = event { result[place] = event }
    }
    return result
  }
}
