#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What happens in a store, or in one session of it, from the moment at which it was asked for.
///
/// Changes of this process come at once, in the order in which they were committed. Those of other processes come within
/// about a tenth of a second, and for them the store is looked at only while somebody observes. An observer that falls
/// behind is told less exactly, never made to hold more and more: then `changedElsewhere` stands for what it missed.
///
/// For one loop at a time: two loops over the same value share its events between them. It ends when the store is
/// closed.
public struct StoreEvents: AsyncSequence, Sendable {
  public typealias Element = StoreEvent
  public typealias Failure = Never

  private let subscription: Subscription

  init(_ buffer: EventBuffer, cancelling: @escaping @Sendable () -> Void) {
    subscription = Subscription(buffer, cancelling: cancelling)
  }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the events in their order, and waits for the next.
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    private let subscription: Subscription
    private var signals: AsyncStream<Void>.Iterator

    init(_ subscription: Subscription) {
      self.subscription = subscription
      signals = subscription.buffer.signals.makeAsyncIterator()
    }

    /// The next event; nil once the store is closed or the task is cancelled.
    public mutating func next() async -> StoreEvent? { await next(isolation: #isolation) }

    /// The next event, without leaving the actor that asks; nil once the store is closed or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreEvent? {
      while true {
        if let event = subscription.buffer.take() { return event }
        guard await signals.next(isolation: actor) != nil else { return subscription.buffer.take() }
      }
    }
  }

  /// Ends the observing when the last copy of the sequence and of its iterators is gone.
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
  /// What happens in this session from now on.
  ///
  /// Ask first and read what is stored then: what comes in between is in the events, and nothing is missed.
  public var events: StoreEvents { core.events(of: id) }
}

extension Store {
  /// What happens in all sessions of this store from now on.
  ///
  /// Of what other processes do, new sessions are told, and changes to the 256 sessions that were active last.
  public var events: StoreEvents { core.events(of: nil) }
}

extension StoreCore {
  func events(of session: UUID?) -> StoreEvents {
    let buffer = EventBuffer()
    guard (try? requireOpen()) != nil,
      let observer = hub.add(buffer, session: session, core: self)
    else {
      buffer.finish()
      return StoreEvents(buffer) {}
    }
    // What stands now is what later looks are compared with. It is read after the observer is known, so that no
    // change falls between the two; where that fails, the first look tells that something changed.
    let baseline = try? read { db in try Baseline(of: session, core: self, in: db) }
    hub.begin(observer, baseline: baseline)
    buffer.whenCancelled { [weak hub] in hub?.remove(observer) }
    return StoreEvents(buffer) { [weak hub] in hub?.remove(observer) }
  }
}
