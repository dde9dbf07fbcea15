import Keepsake

/// The command `keepsake leave`, which ends the store's membership in a hub.
struct LeaveCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "leave",
    summary: "Leave the hub that the store joined.",
    discussion: """
      Nothing is deleted: the store keeps all that it has, and so does the hub. What was not sent
      yet is told, and the hub takes the store off its list. A store that joins again compares what
      both have, and doubles nothing. A store that shared the hub's sessions has those that it was
      asked for, and becomes one of its own.
      """,
    examples: [("keepsake leave", "Leave the hub.")])

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let (membership, waiting) = try await context.withStore(
      arguments, for: .writing, reachingHub: false
    ) { store in
      (try await store.membership(), try await store.leave())
    }
    let terminal = context.terminal
    try terminal.line("The store has left its hub, and keeps all that it has.")
    if let membership {
      do {
        try await Store.forgetPeer(membership.peer, ofHubAt: context.hub(membership.address))
      } catch {
        try terminal.note(
          "The hub could not be told. In other stores, 'keepsake hub status --forget \(Words.short(membership.peer))' takes this one off its list."
        )
      }
    }
    if waiting > 0 {
      try terminal.note(
        "\(Words.count(waiting, "change was", "changes were")) not sent to the hub. They are in this store alone."
      )
    }
    return .done
  }
}
