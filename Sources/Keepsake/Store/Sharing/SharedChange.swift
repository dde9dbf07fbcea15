#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A change of sessions that gives a result, for a task that waits.
///
/// Sendable without a lock of its own, as any ``SharedCall``.
final class SharedChange<Result: Sendable>: SharedCall<Result>, @unchecked Sendable {
  private let handle: StoreHandle
  private let body: @Sendable (Change) throws -> Result

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
}
