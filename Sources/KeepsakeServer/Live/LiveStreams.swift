#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// The streams of events that browsers and programs listen to.
///
/// All who listen to the same session share one observation of the store, which ends with the last of them. So a hundred
/// listeners cost the store no more than one, and none costs nothing. The store itself is observed for a few seconds longer: a page
/// that was just drawn listens in a moment, and need not be drawn anew where nothing happened in between.
final class LiveStreams: Sendable {
  /// A thing to listen to.
  enum Subject: Hashable, Sendable {
    case store
    case session(UUID)
  }

  /// The listeners of one subject.
  private struct Channel {
    var streams: [ObjectIdentifier: EventStream] = [:]
    var task: Task<Void, Never>?
    /// The task that ends the observation if still nobody listens after a while.
    var ending: Task<Void, Never>?
  }

  private struct State {
    var channels: [Subject: Channel] = [:]
    /// The number of the newest event of the store. It grows as well when nobody listened for a while, and begins with
    /// the time, so that a server that was started anew has none of the numbers that it gave before.
    var number = Int(Date().timeIntervalSince1970 * 1000)
    var isClosed = false
  }

  private let store: Store
  private let lingering: Duration
  private let state = Locked(State())

  /// - Parameters:
  ///   - store: The store whose events are told.
  ///   - lingering: The time for which the store is observed although nobody listens.
  init(_ store: Store, lingering: Duration = .seconds(10)) {
    self.store = store
    self.lingering = lingering
  }

  /// Tells whether the server observes the store for browsers and programs that listen, or may listen in a moment.
  var isObserving: Bool { state.withLock { $0.channels[.store]?.task != nil } }

  /// The number of open streams.
  var count: Int { state.withLock { $0.channels.values.reduce(0) { $0 + $1.streams.count } } }

  /// The number of the newest event of the store.
  var number: Int { state.withLock { $0.number } }

  /// Gives the number of the newest event to a page that is drawn after this, and observes the store until the page listens.
  func numberForPage() -> Int {
    state.withLock { state in
      guard !state.isClosed else { return state.number }
      observe(.store, nil, &state)
      endLater(.store, &state)
      return state.number
    }
  }

  /// Opens a stream of a subject's events.
  ///
  /// - Parameters:
  ///   - subject: The store, or one session.
  ///   - session: The session; nil for the store.
  ///   - hello: Gives the first event, which says how things stand. It is asked for after the observation began, so
  ///     that nothing is missed in between.
  func open(
    _ subject: Subject, of session: Session?, hello: @Sendable () async throws -> String
  ) async throws -> EventStream {
    let stream = EventStream { [weak self] _ in self?.closed(subject) }
    let isOpen = state.withLock { state in
      if state.isClosed { return false }
      state.channels[subject, default: Channel()].streams[ObjectIdentifier(stream)] = stream
      observe(subject, session, &state)
      return true
    }
    guard isOpen else { throw Problem(status: 503, code: "stopping", detail: "The server stops.") }
    do { stream.send(data: try await hello()) } catch {
      stream.close()
      throw error
    }
    return stream
  }

  /// Begins to observe a subject, unless it is observed already.
  private func observe(_ subject: Subject, _ session: Session?, _ state: inout State) {
    guard state.channels[subject]?.task == nil else { return }
    if subject == .store { state.number += 1 }
    let events = session?.events ?? store.events
    state.channels[subject, default: Channel()].task = Task { [weak self] in
      for await event in events { await self?.publish(event, to: subject, session) }
    }
  }

  /// Has the observation of a subject end after a while, if nobody listens then.
  private func endLater(_ subject: Subject, _ state: inout State) {
    guard state.channels[subject]?.ending == nil else { return }
    state.channels[subject]?.ending = Task { [weak self, lingering] in
      try? await Task.sleep(for: lingering)
      self?.endUnheard(subject)
    }
  }

  private func endUnheard(_ subject: Subject) {
    let task = state.withLock { state -> Task<Void, Never>? in
      state.channels[subject]?.ending = nil
      guard let channel = state.channels[subject], channel.streams.isEmpty else { return nil }
      state.channels[subject] = nil
      return channel.task
    }
    task?.cancel()
  }

  /// Forgets the streams of a subject that have ended, and ends the observation where nobody listens any more.
  private func closed(_ subject: Subject) {
    let task = state.withLock { state -> Task<Void, Never>? in
      guard var channel = state.channels[subject] else { return nil }
      channel.streams = channel.streams.filter { $0.value.end == nil }
      guard channel.streams.isEmpty else {
        state.channels[subject] = channel
        return nil
      }
      if subject == .store, !state.isClosed {
        state.channels[subject] = channel
        endLater(subject, &state)
        return nil
      }
      channel.ending?.cancel()
      state.channels[subject] = nil
      return channel.task
    }
    task?.cancel()
  }

  private func publish(_ event: StoreEvent, to subject: Subject, _ session: Session?) async {
    let message: String?
    switch subject {
    case .store:
      let number = state.withLock { state in
        state.number += 1
        return state.number
      }
      message = LiveEvent.ofStore(event, number: number)
    case .session:
      message = await LiveEvent.ofSession(event, session)
    }
    guard let message else { return }
    let streams = state.withLock { Array(($0.channels[subject]?.streams ?? [:]).values) }
    for stream in streams { stream.send(data: message) }
  }

  /// Ends all streams, and takes no more.
  func close() {
    let channels = state.withLock { state in
      state.isClosed = true
      return Array(state.channels.values)
    }
    for channel in channels {
      channel.task?.cancel()
      channel.ending?.cancel()
      for stream in channel.streams.values { stream.close() }
    }
  }
}
