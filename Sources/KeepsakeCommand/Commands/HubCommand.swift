#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake hub`, which makes a hub, looks after it, and tells how far the store is in step with it.
struct HubCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "hub",
    summary: "Make a hub where stores meet, look after it, or tell how far this store is in step.",
    discussion: """
      'hub init URL' makes a hub, and proves that the place keeps to what hubs need: of several who
      write at once one must win. 'hub status' tells which hub the store joined, what waits to be
      sent or to be received, and which sessions are left aside. It lists the stores that meet at
      the hub, when they were there, and which may still have what was erased elsewhere. A store
      that will not come back is taken off the list with --forget.

      'hub check' reads all that the hub has, and ends with 2 if something is missing or altered.
      'hub sweep' removes from the hub what nothing needs any more. Syncing does that, too; a sweep
      finishes what a store left that went away in the middle, and removes files that it left
      unfinished. Stores may sync meanwhile. Both take the hub that the store joined, or the one at
      the URL, and so does 'hub upgrade', which brings a hub that an earlier version made to what
      this one keeps there.

      'hub export' writes every session of the hub to a bundle, with artifacts and history, which
      'import' reads, and ends with 2 if one can't be read. Stopped, and run again, it goes on with
      what it has read.

      A hub is one of these:
        /Volumes/Shared/Hub    a folder that all machines reach, on an external disk or a network
                               share; none that an app copies between machines
        s3://bucket/prefix     a bucket of an object store; keys and endpoint come from AWS_… in
                               the environment and the usual files
        postgresql://host/db   a database of PostgreSQL; the password comes from where libpq looks
      """,
    examples: [
      ("keepsake hub init /Volumes/Shared/Hub", "Make a hub in a new or empty folder."),
      ("keepsake hub status", "Tell how far the store is in step, and who meets at the hub."),
      ("keepsake hub status --forget phone", "Take a lost phone off the list."),
      ("keepsake hub check --read-data", "Read the hub, and every artifact in it."),
      ("keepsake hub sweep --dry-run", "See what a sweep of the hub would remove."),
      ("keepsake hub export -o everything.tar", "Take every session out of the hub."),
    ])

  let action = Operand<String>.required(
    "ACTION", "What to do: init, status, check, sweep, upgrade or export.")
  let address = Operand<String?>.optional("URL", "The address of the hub.")
  let local = Flag("--local", help: "With status: don't ask the hub.")
  let forget = Option(
    "--forget", value: "STORE", as: .text,
    help: "With status: take a store off the list, by its name or the beginning of its id.")
  let readData = Flag("--read-data", help: "With check: read and hash every artifact, too.")
  let repair = Flag(
    "--repair",
    help: "With check: put again what the hub has lost and this store has, and mend its lists.")
  let dryRun = Flag(
    "--dry-run", help: "With sweep: tell what would be removed, and change nothing.")
  let olderThan = Option(
    "--older-than", value: "AGE", as: .time,
    help: "With sweep: leave alone artifacts that are younger (30min, 12h, 7d); else 1d.")
  let output = Option(
    "--output", short: "-o", value: "FILE", as: .output,
    help: "With export: the bundle.")
  let force = Flag("--force", help: "With export: replace an existing file.")
  let json = Flag.json

  /// The actions of the command.
  private enum Action: String, CaseIterable {
    case `init`, status, check, sweep, upgrade, export
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    guard let action = Action(rawValue: arguments.action) else {
      throw UsageError(
        message:
          "There is no action '\(Terminal.printable(arguments.action))'. Say init, status, check, sweep, upgrade or export.",
        command: "hub")
    }
    let given = [
      ("--local", arguments.local, Action.status), ("--forget", arguments.forget != nil, .status),
      ("--read-data", arguments.readData, .check), ("--repair", arguments.repair, .check),
      ("--dry-run", arguments.dryRun, .sweep), ("--older-than", arguments.olderThan != nil, .sweep),
      ("--output", arguments.output != nil, .export), ("--force", arguments.force, .export),
    ]
    if let (option, _, owner) = given.first(where: { $0.1 && $0.2 != action }) {
      throw UsageError(
        message: "'\(option)' is an option of 'hub \(owner.rawValue)'.", command: "hub")
    }
    switch (action, arguments.address) {
    case (.`init`, let address?): try await Self.make(address, arguments, context)
    case (.`init`, nil):
      throw UsageError(message: "'hub init' needs the address of the hub.", command: "hub")
    case (.status, nil): try await Self.tellStatus(arguments, context)
    case (.status, _?):
      throw UsageError(
        message: "'hub status' takes no address: it tells of the hub that the store joined.",
        command: "hub")
    case (.check, let address): return try await Self.check(address, arguments, context)
    case (.sweep, let address): try await Self.sweep(address, arguments, context)
    case (.upgrade, let address): try await Self.upgrade(address, arguments, context)
    case (.export, let address): return try await Self.export(address, arguments, context)
    }
    return .done
  }

  /// Returns the hub at an address, or the one that the store joined.
  static func hub(_ text: String?, _ arguments: Arguments<Self>, _ context: Context) async throws
    -> HubAddress
  {
    if let text { return try context.hub(text) }
    let membership = try await context.withStore(
      arguments, for: .reading, reachingHub: false
    ) { store in
      try await store.membership()
    }
    guard let membership else {
      throw CommandError(
        message: "The store has joined no hub. Name one: keepsake hub \(arguments.action) URL")
    }
    return try context.hub(membership.address)
  }

  private static func make(
    _ text: String, _ arguments: Arguments<Self>, _ context: Context
  ) async throws {
    let terminal = context.terminal
    let address = try context.hub(text)
    let (id, assurances) = try await Store.using(address, .init(mayMake: true)) { hub in
      (hub.identity.id, try await hub.assurances())
    }
    if arguments.json {
      return try terminal.json { writer in
        writer.beginObject()
        writer.fixed("hub", id)
        writer.fixed("address", address.description)
        writer.strings("assurances", assurances)
        writer.endObject()
      }
    }
    try terminal.line("The hub at \(Terminal.printable(address.description)) is ready.")
    for sentence in assurances { try terminal.line("  \(Terminal.printable(sentence))") }
    try terminal.line("Join it from each machine: keepsake join \(Terminal.printable(text))")
  }
}

extension JSONWriter {
  /// Writes sessions that are not kept in step, with the reasons.
  mutating func write(_ aside: [HubMembership.Aside]) {
    array(aside) { aside, writer in
      writer.beginObject()
      writer.fixed("session", aside.session)
      writer.fixed("reason", aside.reason)
      writer.endObject()
    }
  }
}
