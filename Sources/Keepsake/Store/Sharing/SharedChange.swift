#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A change of sessions that gives a result, for a task that waits.
final class SharedChange<Result: Sendable>: SharedRequest, @unchecked Sendable {
  private let handle: StoreHandle
  private let body: @Sendable (Change) throws -> Result
  private var result: Result?
  /// The task that waits, which is set before the request waits.
  var caller: CheckedContinuation<Result, any Error>?

  init(
    in sessions: [UUID], bytes: Int, for handle: StoreHandle,
    _ body: @escaping @Sendable (Change) throws -> Result
  ) {
    self.handle = handle
    self.body = body
    super.init(sessions, bytes: bytes, deadline: .now.advanced(by: handle.options.patience))
  }

  override func `try`(in writing: WriteTables) throws {
    (result, tried) = (nil, nil)
    try handle.requireOpen()
    let (result, tried) = try Change.try(in: writing, now: handle.options.now, body)
    (self.result, self.tried) = (result, tried)
  }

  override func keep() throws { try tried?.keep(for: handle) }

  override func finish(_ error: (any Error)?) {
    guard let caller else { preconditionFailure("A request was answered twice") }
    self.caller = nil
    if let error { return caller.resume(throwing: error) }
    guard let result else { preconditionFailure("A request was answered before it ran") }
    caller.resume(returning: result)
  }
}
