import KeepsakeFiles

/// A request whose body gives a result, for a task or a thread that waits.
final class WriteRequest<R: Sendable>: WriterRequest, @unchecked Sendable {
  /// The receiver of the answer.
  @safe
  enum Caller {
    case nobody
    case task(UnsafeContinuation<R, any Error>)
    case thread(Monitor<Result<R, any Error>?>)
  }

  private var body: (@Sendable (Transaction) throws -> R)?
  private var result: R?
  /// The receiver of the answer, which is set before the request is in the queue.
  var caller = Caller.nobody

  init(
    bytes: Int, isExclusive: Bool = false, isTidying: Bool = false, isImpatient: Bool = false,
    _ body: @escaping @Sendable (Transaction) throws -> R
  ) {
    self.body = body
    super.init(
      bytes: bytes, isExclusive: isExclusive, isTidying: isTidying, isImpatient: isImpatient)
  }

  override func perform(_ transaction: Transaction) throws {
    result = nil
    result = try body?(transaction)
  }

  override func finish(_ error: (any Error)?) {
    let outcome: Result<R, any Error>
    if let error {
      outcome = .failure(error)
    } else if let result {
      outcome = .success(result)
    } else {
      preconditionFailure("A request was answered before it ran")
    }
    body = nil
    result = nil
    switch caller {
    case .nobody: preconditionFailure("A request was answered twice")
    case .task(let continuation): unsafe continuation.resume(with: outcome)
    case .thread(let monitor):
      monitor.withLock { $0 = outcome }
      monitor.signal()
    }
    caller = .nobody
  }
}
