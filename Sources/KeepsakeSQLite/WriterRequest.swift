import KeepsakeFiles

/// A request to the writer, whatever its result is.
///
/// Sendable without a lock of its own: until the writer takes it, `state` and `deadline` are touched
/// only under the queue's lock; from then on it is the writer's thread's alone.
class WriterRequest: @unchecked Sendable {
  enum State {
    /// Not yet in the queue.
    case new
    case waiting
    /// The writer has it, and it will be answered whatever its task does.
    case taken
    /// Answered while it waited; the queue passes over it.
    case withdrawn
  }

  let bytes: Int
  /// Wants the connection outside any transaction, and no other request with it.
  let isExclusive: Bool
  /// Frees space, and may use the room that is kept for that.
  let isTidying: Bool
  /// Whether it is given up at once where another process has the lock.
  let isImpatient: Bool
  var state = State.new
  /// When it gives up waiting for another process; unset while nobody is in the way.
  var deadline: Instant?

  init(
    bytes: Int, isExclusive: Bool = false, isTidying: Bool = false, isImpatient: Bool = false
  ) {
    self.bytes = bytes
    self.isExclusive = isExclusive
    self.isTidying = isTidying
    self.isImpatient = isImpatient
  }

  /// Runs the body and keeps its result; may be called again, and then begins anew.
  func perform(_ transaction: Transaction) throws {}

  /// Answers the caller with the kept result, or with the error; once.
  func finish(_ error: (any Error)?) {}
}

/// A request whose body gives a result, for a task or for a thread that waits.
final class WriteRequest<R: Sendable>: WriterRequest, @unchecked Sendable {
  /// Who waits for the answer.
  @safe
  enum Caller {
    case nobody
    case task(UnsafeContinuation<R, any Error>)
    case thread(Monitor<Result<R, any Error>?>)
  }

  private var body: (@Sendable (Transaction) throws -> R)?
  private var result: R?
  /// Set before the request is in the queue.
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
