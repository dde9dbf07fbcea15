#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Work of several steps on a session, which waits in the queue of a ``SharedWriter`` and runs while no change is tried, asked for or
/// written.
///
/// Sendable without a lock of its own, as any ``SharedCall``.
final class SharedErrand<Result: Sendable>: SharedCall<Result>, @unchecked Sendable {
  private let body: @Sendable () async throws -> Result

  init(on session: UUID, _ body: @escaping @Sendable () async throws -> Result) {
    self.body = body
    super.init([session], bytes: 0, deadline: .now)
  }

  override var runsAlone: Bool { true }

  override func run() async throws { result = try await body() }
}
