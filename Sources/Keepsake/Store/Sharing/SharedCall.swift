import KeepsakeFiles

/// A request whose caller waits for a result.
///
/// Sendable without a lock of its own: only the task that serves the ``SharedWriter`` touches the state, and until then nobody
/// else has the request.
class SharedCall<Result: Sendable>: SharedRequest, @unchecked Sendable {
  /// The result; nil before the request was done.
  var result: Result?
  /// The task that waits, which is set before the request waits.
  var caller: CheckedContinuation<Result, any Error>?

  override func finish(_ error: (any Error)?) {
    guard let caller else { preconditionFailure("A request was answered twice") }
    self.caller = nil
    if let error { return caller.resume(throwing: error) }
    guard let result else { preconditionFailure("A request was answered before it ran") }
    caller.resume(returning: result)
  }
}
