import KeepsakeFiles

/// A stream of server-sent events, which a handler returns and others write to.
///
/// Any thread may send, at any time: before the stream is returned as well. Events wait in a buffer that is bounded. A
/// client that reads too slowly is dropped when the buffer is full, since it would miss events; when it connects again
/// it names the last event that it saw, in the field `Last-Event-ID`.
package final class EventStream: Sendable {
  /// The reason why a stream ended.
  package enum End: Sendable, Hashable {
    /// ``EventStream/close()`` was called.
    case closed
    /// The client went away.
    case clientLeft
    /// The client read too slowly for what was sent.
    case tooSlow
    /// The server stopped, or had no room for the stream.
    case serverStopped
  }

  struct State {
    /// Bytes that the server has not taken yet.
    var waiting: [UInt8] = []
    /// The number of bytes that were not sent yet, taken by the server or not.
    var unsent = 0
    var end: End?
    /// Tells the server that there is something to do for this stream; nil before the server has it.
    var wake: (@Sendable () -> Void)?
    /// Whether the server was told and has not looked yet.
    var isAwaited = false
    var onClose: (@Sendable (End) -> Void)?
  }

  let state: Locked<State>
  let limit: Int

  /// Creates a stream.
  /// - Parameters:
  ///   - bufferLimit: The most bytes that wait for the client.
  ///   - onClose: Called once when the stream has ended, on a thread of the server or of whoever ended it. It should
  ///     return quickly.
  package init(
    bufferLimit: Int = 256 << 10, onClose: @escaping @Sendable (End) -> Void = { _ in }
  ) {
    limit = bufferLimit
    state = Locked(State(onClose: onClose))
  }

  /// The reason why the stream ended; nil while it is open.
  package var end: End? { state.withLock { $0.end } }
}
