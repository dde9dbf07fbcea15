#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The events of a store, or of one of its sessions, from the moment at which the sequence was requested.
///
/// Changes of this process come at once, in the order of their commits. Changes of other processes come within about a tenth of
/// a second; the store is watched for them only while somebody observes. If an observer is slow, events become less exact and
/// do not pile up: `changedElsewhere` stands for the missed ones.
///
/// A store that shares the sessions of a hub asks the hub every second while somebody observes, and a hub in a bucket every five
/// seconds. An observed session is taken over as soon as it changed at the hub. Observers of all sessions get `changedElsewhere` for a
/// session that changed at a hub in a database; they read again what they show. Other hubs keep no lists, so all that is new is taken
/// over for these observers.
///
/// A sequence is for one loop at a time: two loops over the same value share its events. It ends when the store is closed.
public struct StoreEvents: AsyncSequence, Sendable {
  public typealias Element = StoreEvent
  public typealias Failure = Never

  private let subscription: Subscription

  init(_ buffer: EventBuffer, cancelling: @escaping @Sendable () -> Void) {
    subscription = Subscription(buffer, cancelling: cancelling)
  }

  /// Makes an iterator, which shares the events with other iterators of the sequence.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the events in order, and waits for the next.
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    private let subscription: Subscription
    private var signals: AsyncStream<Void>.Iterator

    init(_ subscription: Subscription) {
      self.subscription = subscription
      signals = subscription.buffer.signals.makeAsyncIterator()
    }

    /// Returns the next event; nil after the store was closed or the task was cancelled.
    public mutating func next() async -> StoreEvent? { await next(isolation: #isolation) }

    /// Returns the next event without leaving the calling actor; nil after the store was closed or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreEvent? {
      while true {
        if let event = subscription.buffer.take() { return event }
        guard await signals.next(isolation: actor) != nil else { return subscription.buffer.take() }
      }
    }
  }

  /// Ends the observation when the last copy of the sequence and its iterators is gone.
  final class Subscription: Sendable {
    let buffer: EventBuffer
    private let cancelling: @Sendable () -> Void

    init(_ buffer: EventBuffer, cancelling: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.cancelling = cancelling
    }

    deinit { cancelling() }
  }
}

extension Session {
  /// The events of this session from now on.
  ///
  /// Request the events before reading stored entries: changes in between are then among the events, and nothing is missed.
  public var events: StoreEvents { handle.events(of: id) }
}

extension Store {
  /// The events of all sessions of this store from now on.
  ///
  /// From other processes come new sessions, and changes to the 256 most recently active sessions.
  public var events: StoreEvents { handle.events(of: nil) }
}

extension StoreHandle {
  func events(of session: UUID?) -> StoreEvents {
    let buffer = EventBuffer()
    guard (try? requireOpen()) != nil,
      let observer = observers.add(buffer, session: session, handle: self)
    else {
      buffer.finish()
      return StoreEvents(buffer) {}
    }
    // The baseline is read after the observer was added, so that no change is missed in between. If reading fails, the first
    // look reports that something changed.
    let baseline = try? read { db in try Baseline(of: session, handle: self, in: db) }
    observers.begin(observer, baseline: baseline)
    buffer.whenCancelled { [weak observers] in observers?.remove(observer) }
    return StoreEvents(buffer) { [weak observers] in observers?.remove(observer) }
  }
}
