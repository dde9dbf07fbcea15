import Keepsake
import KeepsakeFiles

/// The calls of a hub that are under way, so that closing the hub can wait for them.
final class OpenCalls: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  /// The error for calls that come after the end.
  private let closed: KeepsakeError

  init(closed: KeepsakeError) { self.closed = closed }

  /// Runs a call, which a close waits for.
  /// - Throws: The error of the call, or that the hub is closed.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.count += 1 }
      return !state.isClosed
    }
    guard isOpen else { throw closed }
    defer { leave() }
    return try await body()
  }

  /// Lets no more calls in, and waits for those under way.
  func close() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        state.isClosed = true
        if state.count > 0 { state.waiting.append(continuation) }
        return state.count == 0
      }
      if isOver { continuation.resume() }
    }
  }

  private func leave() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.count -= 1
      guard state.isClosed, state.count == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
