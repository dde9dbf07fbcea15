#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake doctor`, which tells the versions and state of a store, and what to do.
struct DoctorCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "doctor",
    summary: "Say what a store runs on, what waits in it, and what to do.",
    discussion: "It is quick, and reads next to nothing; 'keepsake verify' checks what is kept.",
    examples: [("keepsake doctor", "Look at the store and at the libraries.")])

  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let (health, path) = try await context.withStore(arguments, for: .reading) { store in
      (try await store.health(), store.url.path)
    }
    if arguments.json {
      try terminal.json { writer in
        writer.beginObject()
        writer.fixed("version", Program.version)
        writer.fixed("sqlite", health.sqliteVersion)
        writer.flag("walResetBug", health.hasWALResetBug)
        writer.fixed("path", path)
        writer.fixed("store", health.store)
        writer.fixed("schema", health.schema)
        writer.fixed("databaseBytes", health.databaseBytes)
        writer.fixed("freeBytes", health.freeBytes)
        writer.fixed("waitingForSearch", health.waitingForSearch)
        writer.fixed("reserveBytes", health.reserveBytes)
        writer.fixed("leftovers", health.leftovers)
        writer.fixed("leftoverBytes", health.leftoverBytes)
        writer.endObject()
      }
      return .done
    }
    let waiting = health.waitingForSearch
    var facts = [
      ("keepsake", Program.version),
      (
        "SQLite",
        health.hasWALResetBug
          ? "\(health.sqliteVersion). Your stores are safe with it, as Keepsake never checkpoints beside a commit; another program that writes to a store's database with this SQLite could damage it."
          : health.sqliteVersion
      ),
      ("store", "\(path), \(health.store.uuidString.lowercased())"),
      ("schema", "\(health.schema)"),
      (
        "database",
        "\(Words.size(health.databaseBytes)), of which \(Words.size(health.freeBytes)) are free"
      ),
      (
        "search",
        waiting == 0
          ? "All entries are indexed."
          : "\(Words.entries(waiting)) will be indexed when the store is next written to or searched."
      ),
    ]
    if health.reserveBytes > 0 {
      facts.append(
        (
          "reserve",
          "\(Words.size(health.reserveBytes)) are kept, so that something can be deleted when the disk is full."
        ))
    }
    if health.leftovers > 0 {
      facts.append(
        (
          "leftover",
          "\(Words.size(health.leftoverBytes)) of programs that were killed, in \(Words.count(health.leftovers, "file or folder", "files or folders")), in the store or beside it."
        ))
    }
    // The last piece of advice, to verify the store, always applies.
    if health.leftovers > 0 { facts.append(("next", "Remove what was left: keepsake sweep")) }
    if health.isWorthCompacting {
      facts.append(
        (
          "next",
          "Give \(Words.size(health.freeBytes)) back to the disk, which new entries would use else: keepsake compact"
        ))
    }
    facts.append(
      ("next", "Whether all that was kept is as it was: keepsake verify --read-data"))
    try terminal.facts(facts)
    return .done
  }
}
