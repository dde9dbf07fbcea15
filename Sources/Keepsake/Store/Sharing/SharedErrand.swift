#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Work of several steps that waits in the queue of a ``SharedWriter`` and runs while no change is tried, asked for or written.
///
/// Sendable without a lock of its own: only the task that serves the queue touches the state.
final class SharedErrand<Result: Sendable>: SharedRequest, @unchecked Sendable {
  private let body: @Sendable () async throws -> Result
  private var result: Result?
  /// The task that waits, which is set before the errand waits.
  var caller: CheckedContinuation<Result, any Error>?

  init(_ body: @escaping @Sendable () async throws -> Result) {
    self.body = body
    super.init([], bytes: 0, deadline: .now)
  }

  override var runsAlone: Bool { true }

  override func run() async throws { result = try await body() }

  override func finish(_ error: (any Error)?) {
    guard let caller else { preconditionFailure("An errand was answered twice") }
    self.caller = nil
    if let error { return caller.resume(throwing: error) }
    guard let result else { preconditionFailure("An errand was answered before it ran") }
    caller.resume(returning: result)
  }
}
