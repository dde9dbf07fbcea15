import KeepsakeFiles

/// Hands the parts of a large artifact from the thread that reads them to the task that sends them, one at a time.
final class PartQueue: Sendable {
  /// Thrown to the reading thread when nobody takes parts any more.
  struct Abandoned: Error {}

  private struct State {
    var piece: [UInt8]?
    var taker: CheckedContinuation<[UInt8]?, Never>?
    var isOver = false
    var isAbandoned = false
  }

  private let state = Monitor(State())

  /// Hands over a part, and blocks while the one before it was not taken.
  func give(_ piece: [UInt8]) throws(Abandoned) {
    let isTaken = state.wait { state -> Bool? in
      if state.isAbandoned { return false }
      if let taker = state.taker {
        state.taker = nil
        taker.resume(returning: piece)
        return true
      }
      guard state.piece == nil else { return nil }
      state.piece = piece
      return true
    }
    if isTaken != true { throw Abandoned() }
  }

  /// Says that no part follows.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.taker?.resume(returning: nil)
      state.taker = nil
    }
  }

  /// Waits for the next part; nil after the last one.
  func next() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if let piece = state.piece {
          state.piece = nil
          continuation.resume(returning: piece)
        } else if state.isOver {
          continuation.resume(returning: nil)
        } else {
          state.taker = continuation
        }
      }
      state.signal()
    }
  }

  /// Takes no more parts; the reading thread gets an error instead of waiting.
  func abandon() {
    state.withLock {
      $0.isAbandoned = true
      $0.piece = nil
    }
    state.signal()
  }
}
