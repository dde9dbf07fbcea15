import KeepsakeFiles

/// Room for so many at once; who comes later waits.
///
/// The runner begins all tests at the same time: a thousand open stores are more than a machine is meant to bear, and
/// leave each test waiting for all others.
package final class Slots: Sendable {
  /// What tests of all kinds take their room from.
  package static let shared = Slots(16)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Holding {
    @TaskLocal static var isInside = false
  }

  private let state: Locked<State>

  package init(_ count: Int) { state = Locked(State(free: count)) }

  /// Runs the body when there is room; at once, where it is asked for inside of another one.
  package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    if Holding.isInside { return try await body() }
    await take()
    defer { give() }
    return try await Holding.$isInside.withValue(true, operation: body)
  }

  private func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func give() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
