import KeepsakeFiles

/// Writes messages in their order on a thread of its own, so that nobody waits for a client that reads slowly.
final class OutputQueue: Sendable {
  private struct State {
    var messages: [[UInt8]] = []
    var bytes = 0
    var isWriting = false
    var isBroken = false
    var isEnded = false
  }

  private let monitor = Monitor(State())
  private let limit: Int

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - limit: The bytes that may wait before ``waitForRoom()`` waits.
  ///   - write: Writes a message to the client; an error ends the queue.
  ///   - broken: Called once if the client no longer reads.
  init(
    limit: Int = 64 << 20, write: @escaping @Sendable ([UInt8]) throws -> Void,
    broken: @escaping @Sendable () -> Void
  ) {
    self.limit = limit
    let monitor = monitor
    _ = WorkerThread(name: "keepsake-write") {
      while let message = Self.next(monitor) {
        do { try write(message) } catch {
          monitor.withLock { state in
            state.isBroken = true
            state.isWriting = false
            state.messages = []
            state.bytes = 0
          }
          monitor.broadcast()
          return broken()
        }
        monitor.withLock { $0.isWriting = false }
        monitor.broadcast()
      }
    }
  }

  deinit { end() }

  private static func next(_ monitor: Monitor<State>) -> [UInt8]? {
    let next: [UInt8]?? = monitor.wait { state in
      guard !state.messages.isEmpty else { return state.isEnded ? .some(nil) : nil }
      let message = state.messages.removeFirst()
      state.bytes -= message.count
      state.isWriting = true
      return .some(message)
    }
    return next ?? nil
  }

  /// Puts a message at the end. Never blocks.
  func send(_ message: [UInt8]) {
    monitor.withLock { state in
      guard !state.isBroken, !state.isEnded else { return }
      state.messages.append(message)
      state.bytes += message.count
    }
    monitor.broadcast()
  }

  /// Waits while much of what was sent has not been written.
  func waitForRoom() {
    let limit = limit
    _ = monitor.wait { $0.bytes <= limit || $0.isBroken || $0.isEnded ? true : nil }
  }

  /// Waits until all is written, until a moment at most.
  func drain(until deadline: Instant) {
    _ = monitor.wait(until: deadline) { state in
      state.isBroken || state.messages.isEmpty && !state.isWriting ? true : nil
    }
  }

  /// Has the thread end when all is written.
  func end() {
    monitor.withLock { $0.isEnded = true }
    monitor.broadcast()
  }
}
