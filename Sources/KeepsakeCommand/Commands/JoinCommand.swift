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

      With --shared the folder becomes a cache of what the hub has: a change is made when the hub
      has it, and every command asks the hub for the newest. So it needs the hub, and losing the
      folder loses nothing. It offers no search and no import; a mirror does. --read-only shows
      what the folder saw last.

      What is deleted or erased in one store leaves the hub with the next sync, and the other
      stores with theirs. Backups of the hub, and versions that a bucket keeps, still have it.
      """,
    examples: [
      ("keepsake join /Volumes/Shared/Hub", "Join the hub in a folder that all machines reach."),
      ("keepsake join --shared postgresql://db/chats", "Share the sessions of a database."),
    ])

  let address = Operand<String>.required("URL", "The address of the hub.")
  let mirror = Flag(
    "--mirror", help: "Have all that the hub has, and work without it; the default.")
  let shared = Flag("--shared", help: "Have the hub take each change before it is made.")
  let name = Option(
    "--name", value: "NAME", as: .text,
    help: "The store's name at the hub; without it, the machine's.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let address = try context.hub(arguments.address)
    if arguments.mirror, arguments.shared {
      throw UsageError(message: "Say --mirror or --shared, not both.", command: "join")
    }
    let membership = try await context.withStore(arguments, for: .creating) { store in
      try await store.join(address, named: arguments.name)
      if arguments.shared { try await store.share(address) }
      return try await store.membership()
    }
    guard let membership else { throw CommandError(message: "The store has left the hub again.") }
    if arguments.mirror, membership.way == .shared {
      throw CommandError(
        message: "The store shares the hub's sessions. Leave the hub first: keepsake leave")
    }
    let terminal = context.terminal
    try terminal.line("Joined the hub at \(Terminal.printable(membership.address)).")
    if membership.way == .shared {
      try terminal.line("The folder is a cache of what the hub has.")
    }
    if membership.waiting > 0 {
      try terminal.line(
        "\(Words.count(membership.waiting, "session")) to send. Run 'keepsake sync'.")
    }
    return .done
  }
}
