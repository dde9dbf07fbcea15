import Keepsake

/// Keeps a session of a shared store as new as the hub has it, so that whoever follows the session sees what other machines write.
struct Freshness {
  let session: Session
  let terminal: Terminal

  /// The time between two questions to the hub.
  private static let pause = Duration.seconds(1)

  /// Runs a body, and takes over what is new of the session while the body runs.
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
    var told: String?
    while true {
      do {
        try await Task.sleep(for: Self.pause)
        try await session.refresh()
        if told != nil { try terminal.note("The hub can be read again.") }
        told = nil
      } catch let error as KeepsakeError {
        // The session was deleted, or the store closed. The session's events tell that to whoever follows the session.
        if [.closed, .notFound].contains(error.code), !error.isOfUnreachableHub { return }
        if told != error.message { try terminal.note("\(error.told) Trying again.") }
        told = error.message
      } catch is CancellationError { return }
    }
  }
}
