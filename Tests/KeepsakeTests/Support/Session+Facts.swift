import KeepsakeFiles
import KeepsakeSQLite

@testable import Keepsake

extension Session {
  /// The call that the entry at a position answers.
  func answered(by position: Int) throws -> Entry.Attachment.CallReference? {
    try handle.read { db in try callReference(at: position, in: db) }
  }
}

extension Store {
  /// Runs a write that has made ready what it writes, and has every artifact of the store removed before its turn comes;
  /// right behind it something else may have its turn.
  @discardableResult
  func removingArtifacts<Result: Sendable>(
    before write: @escaping @Sendable () async throws -> Result,
    behind: (@Sendable (Tables) throws -> Void)? = nil
  )
    async throws -> Result
  {
    let handle = handle
    let hasBegun = Monitor(false)
    let isReady = Monitor(false)
    // So much that the writer's thread does it: none of those that tasks share must wait here.
    async let removal: Void = handle.write(bytes: 1 << 30) { change in
      hasBegun.withLock { $0 = true }
      isReady.wait { $0 ? () : nil }
      try change.db.execute(
        """
        DELETE FROM attachment WHERE artifact IS NOT NULL; DELETE FROM blob; DELETE FROM artifact
        """)
    }
    while !hasBegun.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
    let writing = Task { try await write() }
    while handle.database.writer?.statistics.waiting == 0, !Task.isCancelled { await Task.yield() }
    let following = behind.map { body in Task { try await handle.exclusively(body) } }
    if following != nil {
      while handle.database.writer?.statistics.waiting == 1, !Task.isCancelled {
        await Task.yield()
      }
    }
    isReady.withLock { $0 = true }
    isReady.broadcast()
    try await removal
    try await following?.value
    return try await writing.value
  }
}
