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
/// listeners cost the store no more than one, and none costs nothing.
final class LiveStreams: Sendable {
  /// What is listened to.
  enum Subject: Hashable, Sendable {
    case store
    case session(UUID)
  }

  /// Those who listen to one subject.
  private struct Channel {
    var streams: [ObjectIdentifier: EventStream] = [:]
    var task: Task<Void, Never>?
  }

  private struct State {
    var channels: [Subject: Channel] = [:]
    /// The number of the newest event of the store. It grows as well when nobody listened for a while, and begins with
    /// the time, so that a server that was started anew has none of the numbers that it gave before.
    var number = Int(Date().timeIntervalSince1970 * 1000)
    var isClosed = false
  }

  private let store: Store
  private let state = Locked(State())

  init(_ store: Store) { self.store = store }

  /// The number of open streams.
  var count: Int { state.withLock { $0.channels.values.reduce(0) { $0 + $1.streams.count } } }

  /// The number of the newest event of the store.
  var number: Int { state.withLock { $0.number } }

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
      if state.channels[subject]?.task == nil {
        if subject == .store { state.number += 1 }
        let events = session?.events ?? store.events
        state.channels[subject]?.task = Task { [weak self] in
          for await event in events { await self?.publish(event, to: subject, session) }
        }
      }
      return true
    }
    guard isOpen else { throw Problem(status: 503, code: "stopping", detail: "The server stops.") }
    do { stream.send(data: try await hello()) } catch {
      stream.close()
      throw error
    }
    return stream
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
      for stream in channel.streams.values { stream.close() }
    }
  }
}
