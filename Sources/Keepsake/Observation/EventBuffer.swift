#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The events that one observer has not taken yet.
///
/// It stays small however slow the observer is: appends that follow one another become one, of a draft's and a run's
/// states only the last is kept, and when too many events wait, one for each session takes their place.
final class EventBuffer: Sendable {
  static let limit = 256

  private struct State {
    var events: [StoreEvent] = []
    var limit = EventBuffer.limit
  }

  private let state = Locked(State())
  /// One signal waits at most: it says that there are events, not how many.
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
      // Where very many sessions change, collapsing again at each event would cost more than it saves.
      state.limit = max(Self.limit, state.events.count * 2)
    }
    signal.yield()
  }

  /// The oldest event, and all that were there are gone once it was the last.
  func take() -> StoreEvent? {
    state.withLock { state in
      if state.events.isEmpty { return nil }
      // At most some hundred wait, so that moving them up costs next to nothing.
      return state.events.removeFirst()
    }
  }

  /// Ends the sequence once what waits is taken.
  func finish() { signal.finish() }

  /// Has something done when the observing task is cancelled, or the sequence has ended.
  func whenCancelled(_ action: @escaping @Sendable () -> Void) {
    signal.onTermination = { _ in action() }
  }

  /// Lets an event that waits tell of a new one too, where one can stand for both.
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

  /// A later state of the same thing takes the earlier one's place in the order.
  private static func replace(
    in events: inout [StoreEvent], with event: StoreEvent, where isSame: (StoreEvent) -> Bool
  ) -> Bool {
    guard let index = events.lastIndex(where: isSame) else { return false }
    events[index] = event
    return true
  }

  /// One event a session, in the order in which they first came.
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
