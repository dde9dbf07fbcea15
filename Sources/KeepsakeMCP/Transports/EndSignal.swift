import KeepsakeFiles

/// Something that happens once, for which one task waits.
final class EndSignal: Sendable {
  private struct State {
    var hasCome = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Tells that it has happened. A second call does nothing.
  func come() {
    let waiting = state.withLock { state in
      state.hasCome = true
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Waits until it happens, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasCome = state.withLock { state in
          if !state.hasCome { state.waiting = continuation }
          return state.hasCome
        }
        if hasCome { continuation.resume() }
      }
    } onCancel: {
      come()
    }
  }
}
