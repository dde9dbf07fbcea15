import KeepsakeFiles

/// The body of a request that is read in pieces, by one reader, until the handler has answered.
///
/// What is not read by then is left: the connection is closed after the answer.
package final class HTTPBodyStream: Sendable {
  private struct State {
    var rest: Int64
    /// Reads from the connection; nil when the handler has answered, and the connection is somebody else's.
    var read: ((Int) throws(HTTPRefusal) -> [UInt8])?
  }

  private let state: Locked<State>
  /// The size of the whole body in bytes, as the client said.
  package let length: Int64

  init(length: Int64, read: @escaping @Sendable (Int) throws(HTTPRefusal) -> [UInt8]) {
    self.length = length
    state = Locked(State(rest: length, read: read))
  }

  /// Reads the next piece; nil after the last.
  ///
  /// Blocks until bytes are there. On the handler's own thread that holds nobody else up.
  /// - Parameter limit: The most bytes of a piece.
  /// - Throws: `HTTPRefusal`, when the client goes away, or sends slower than the limits allow.
  package func next(_ limit: Int = 64 << 10) throws(HTTPRefusal) -> [UInt8]? {
    // The wait under the lock is intended: the handler's end waits for a reader that it left behind.
    try state.withLock { state throws(HTTPRefusal) in
      if state.rest == 0 { return nil }
      guard let read = state.read else {
        throw HTTPRefusal(.internalError, "The body was read after the answer.")
      }
      let piece = try read(Int(min(Int64(max(1, limit)), state.rest)))
      state.rest -= Int64(piece.count)
      return piece
    }
  }

  /// Ends the reading; returns whether all of the body was read.
  func end() -> Bool {
    state.withLock { state in
      state.read = nil
      return state.rest == 0
    }
  }
}
