import Keepsake

/// Keeps a session of a shared store as new as the hub has it, so that whoever follows the session sees what other machines write.
struct Freshness {
  let session: Session
  let terminal: Terminal

  /// The time between two looks at the hub.
  private static let pause = Duration.seconds(1)

  /// Runs a body, and keeps the session new meanwhile.
  func keeping(if isNeeded: Bool, _ body: () async throws -> Void) async throws {
    guard isNeeded else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await run() }
      do { try await body() } catch {
        group.cancelAll()
        throw error
      }
      group.cancelAll()
    }
  }

  private func run() async throws {
    var isAway = false
    while true {
      do {
        try await Task.sleep(for: Self.pause)
        try await session.refresh()
        if isAway { try terminal.note("The hub is there again.") }
        isAway = false
      } catch is CancellationError {
        return
      } catch let error as KeepsakeError where error.isOfUnreachableHub {
        if !isAway { try terminal.note("\(error.told) Trying again until it is there.") }
        isAway = true
      } catch let error as KeepsakeError where error.code == .closed {
        return
      }
    }
  }
}
