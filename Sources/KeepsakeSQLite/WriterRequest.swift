import KeepsakeFiles

/// A request to the writer, independent of the type of its result.
///
/// Sendable without a lock of its own: until the writer takes the request, `state` and `deadline` are touched only under the
/// queue's lock, and afterwards only by the writer's thread.
class WriterRequest: @unchecked Sendable {
  /// The stages of a request on its way through the queue.
  enum State {
    /// The request is not yet in the queue.
    case new
    case waiting
    /// The writer has the request and will answer it, even if its task is cancelled.
    case taken
    /// The request was answered while it waited, and the queue skips it.
    case withdrawn
  }

  let bytes: Int
  /// Whether the request needs the connection outside a transaction, with no other request.
  let isExclusive: Bool
  /// Whether the request frees space, and may use the reserve on a full disk.
  let isTidying: Bool
  /// Whether the request fails at once while another process has the lock.
  let isImpatient: Bool
  var state = State.new
  /// The time at which the request gives up waiting for another process; nil while none is in the way.
  var deadline: Instant?

  init(
    bytes: Int, isExclusive: Bool = false, isTidying: Bool = false, isImpatient: Bool = false
  ) {
    self.bytes = bytes
    self.isExclusive = isExclusive
    self.isTidying = isTidying
    self.isImpatient = isImpatient
  }

  /// Runs the body and keeps its result; may be called again, and then starts from the beginning.
  func perform(_ transaction: Transaction) throws {}

  /// Answers the caller with the kept result or with an error, exactly once.
  func finish(_ error: (any Error)?) {}
}
