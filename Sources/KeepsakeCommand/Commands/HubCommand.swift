#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake hub`, which makes a hub, and tells how far the store is in step with the one that it joined.
struct HubCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "hub",
    summary: "Make a hub where stores meet, or tell how far this store is in step with its hub.",
    discussion: """
      'hub init URL' makes a hub, and proves that the place keeps to what hubs need: of several who
      write at once one must win. 'hub status' tells which hub the store joined, what waits to be
      sent, and which sessions are left aside.

      A hub is one of these:
        /Volumes/Shared/Hub    a folder that all machines reach, on an external disk or a network
                               share; none that an app copies between machines
        s3://bucket/prefix     a bucket of an object store; keys and endpoint come from AWS_… in
                               the environment and the usual files
        postgresql://host/db   a database of PostgreSQL; the password comes from where libpq looks
      """,
    examples: [
      ("keepsake hub init /Volumes/Shared/Hub", "Make a hub in a new or empty folder."),
      ("keepsake hub status", "Tell how far the store is in step."),
    ])

  let action = Operand<String>.required("ACTION", "What to do: init or status.")
  let address = Operand<String?>.optional("URL", "The address of the hub to make.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    switch (arguments.action, arguments.address) {
    case ("init", let address?): try await Self.make(address, arguments, context)
    case ("init", nil):
      throw UsageError(message: "'hub init' needs the address of the hub.", command: "hub")
    case ("status", nil):
      return try await Self.tellStatus(arguments, context)
    case ("status", _?):
      throw UsageError(
        message: "'hub status' takes no address: it tells of the hub that the store joined.",
        command: "hub")
    case (let action, _):
      throw UsageError(
        message: "There is no action '\(Terminal.printable(action))'. Say init or status.",
        command: "hub")
    }
    return .done
  }

  private static func make(
    _ text: String, _ arguments: Arguments<Self>, _ context: Context
  ) async throws {
    let terminal = context.terminal
    let address = try context.hub(text)
    let id = try await Store.makeHub(at: address)
    if arguments.json {
      return try terminal.json { writer in
        writer.beginObject()
        writer.fixed("hub", id)
        writer.fixed("address", address.description)
        writer.endObject()
      }
    }
    try terminal.line("The hub at \(Terminal.printable(address.description)) is ready.")
    try terminal.line("Join it from each machine: keepsake join \(Terminal.printable(text))")
  }

  private static func tellStatus(_ arguments: Arguments<Self>, _ context: Context) async throws
    -> ExitCode
  {
    let terminal = context.terminal
    let membership = try await context.withStore(arguments, for: .reading) { store in
      try await store.membership()
    }
    if arguments.json {
      try terminal.json { $0.write(membership) }
    } else if let membership {
      try terminal.facts([
        ("hub", membership.address), ("id", membership.hub.uuidString.lowercased()),
        ("joined", Words.time(membership.since, terminal)),
        (
          "in step",
          membership.synced.map { Words.time($0, terminal) } ?? "never; run 'keepsake sync'"
        ),
        (
          "to send", membership.waiting == 0 ? "nothing" : Words.count(membership.waiting, "change")
        ),
      ])
      try SyncCommand.tell("left aside", membership.aside, terminal)
    } else {
      try terminal.line("The store has joined no hub. 'keepsake join URL' joins one.")
    }
    return .done
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ membership: HubMembership?) {
    beginObject()
    flag("joined", membership != nil)
    if let membership {
      fixed("hub", membership.hub)
      fixed("address", membership.address)
      fixed("since", membership.since)
      if let synced = membership.synced { fixed("synced", synced) }
      fixed("waiting", membership.waiting)
      key("aside")
      write(membership.aside)
    }
    endObject()
  }

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
