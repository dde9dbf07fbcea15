import Keepsake

/// Tells whoever follows a session of a shared store when the hub can't be read, and when it can be read again.
struct HubNotices {
  let store: Store
  let terminal: Terminal

  /// The time between two looks at how the store gets on with the hub. No look asks the hub itself.
  private static let pause = Duration.milliseconds(500)

  /// Runs a body that observes the store, and tells on the terminal what happens to the hub meanwhile.
  func telling(if isNeeded: Bool, _ body: () async throws -> Void) async throws {
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
    while !Task.isCancelled {
      let failure = store.hubFailure
      if let failure, told != failure.message { try terminal.note("\(failure.told) Trying again.") }
      if failure == nil, told != nil { try terminal.note("The hub can be read again.") }
      told = failure?.message
      try? await Task.sleep(for: Self.pause)
    }
  }
}
