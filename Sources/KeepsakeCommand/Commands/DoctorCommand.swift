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
    summary: "Tell the versions and the state of a store, and what to do.",
    discussion: """
      This is quick, and reads next to nothing. 'keepsake verify' checks the content of the store.
      """,
    examples: [("keepsake doctor", "Look at the store and at the libraries.")])

  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let (health, path) = try await context.withStore(arguments, for: .reading) { store in
      (try await store.health(), store.url.path)
    }
    if arguments.json {
      try terminal.json { $0.write(health, at: path) }
    } else {
      try terminal.facts(Self.facts(of: health, at: path) + Self.advice(on: health))
    }
    return .done
  }

  private typealias Facts = [(String, String)]

  private static func facts(of health: StoreHealth, at path: String) -> Facts {
    let waiting = health.waitingForSearch
    var facts = [
      ("keepsake", Program.version),
      (
        "SQLite",
        health.hasWALResetBug
          ? "\(health.sqliteVersion). Your stores are safe with it, as Keepsake never checkpoints beside a commit; another program that writes to a store's database with this SQLite could damage it."
          : health.sqliteVersion
      ),
      ("store", "\(path), \(health.store.text)"),
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
    return facts
  }

  /// Gives the advice on a store; the last piece, to verify it, always applies.
  private static func advice(on health: StoreHealth) -> Facts {
    var facts: Facts = []
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
    return facts
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ health: StoreHealth, at path: String) {
    beginObject()
    fixed("version", Program.version)
    fixed("sqlite", health.sqliteVersion)
    flag("walResetBug", health.hasWALResetBug)
    fixed("path", path)
    fixed("store", health.store)
    fixed("schema", health.schema)
    fixed("databaseBytes", health.databaseBytes)
    fixed("freeBytes", health.freeBytes)
    fixed("waitingForSearch", health.waitingForSearch)
    fixed("reserveBytes", health.reserveBytes)
    fixed("leftovers", health.leftovers)
    fixed("leftoverBytes", health.leftoverBytes)
    endObject()
  }
}
