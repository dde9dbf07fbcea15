import Foundation
import KeepsakeFiles

/// Counts the calls of a hub that are under way at once.
final class CallsUnderWay: Sendable {
  private let expected: Int
  private let patience: Duration
  private let state = Locked((now: 0, most: 0, cancelled: 0))

  /// Creates a counter.
  /// - Parameters:
  ///   - expected: The number of calls that have to be under way at once before any of them goes on.
  ///   - patience: How long a call waits for the others, so that a test fails and does not hang if too few calls come at once.
  init(expected: Int = 1, patience: Duration = .seconds(10)) {
    self.expected = expected
    self.patience = patience
  }

  /// The most calls that were under way at once.
  var most: Int { state.withLock { $0.most } }
  /// The number of calls that were cancelled while they waited.
  var cancelled: Int { state.withLock { $0.cancelled } }

  /// Runs a call that is counted.
  func run<Result>(_ call: () async throws -> Result) async throws -> Result {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
    }
    defer { state.withLock { $0.now -= 1 } }
    let deadline = ContinuousClock.now + patience
    while most < expected, ContinuousClock.now < deadline {
      do { try await Task.sleep(for: .milliseconds(1)) } catch {
        state.withLock { $0.cancelled += 1 }
        throw error
      }
    }
    return try await call()
  }
}
