import Keepsake

/// The command `keepsake join`, which joins the store to a hub.
struct JoinCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "join",
    summary: "Join a hub, so that several machines have the same conversations.",
    discussion: """
      The store stays what it is: it has everything, works without the hub, and is as fast as
      before. 'keepsake sync' sends what changed here, also what was there before it joined, and
      takes over what changed elsewhere. 'keepsake hub init' makes a hub.

      What is deleted or erased in one store leaves the hub with the next sync, and the other
      stores with theirs. Backups of the hub, and versions that a bucket keeps, still have it.
      """,
    examples: [
      ("keepsake join /Volumes/Shared/Hub", "Join the hub in a folder that all machines reach.")
    ])

  let address = Operand<String>.required("URL", "The address of the hub.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let address = try context.hub(arguments.address)
    let membership = try await context.withStore(arguments, for: .creating) { store in
      try await store.join(address)
    }
    let terminal = context.terminal
    try terminal.line("Joined the hub at \(Terminal.printable(membership.address)).")
    if membership.waiting > 0 {
      try terminal.line(
        "\(Words.count(membership.waiting, "session")) to send. Run 'keepsake sync'.")
    }
    return .done
  }
}
