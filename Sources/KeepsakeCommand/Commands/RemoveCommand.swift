#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake rm`, which deletes sessions.
struct RemoveCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "rm",
    summary: "Delete sessions, and the artifacts that nothing else uses.",
    discussion: """
      Deleted sessions can't be restored, and when the command ends, no file of the store has
      anything of them. Entries that forks share stay until the last fork is deleted. All sessions
      are looked up before the first one is deleted. On a terminal, the command asks first; in a
      pipe it never asks.
      """,
    examples: [
      ("keepsake rm 3f2a 90cd", "Delete two sessions."),
      ("keepsake rm last --yes", "Delete the newest one without being asked."),
    ])

  let sessions = Operand.sessions(isRequired: true)
  let yes = Flag("--yes", short: "-y", help: "Don't ask.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .writing) { store in
      var ids: [UUID] = []
      for name in arguments.sessions {
        let id = try await Locator(store: store).session(name).id
        if !ids.contains(id) { ids.append(id) }
      }
      if terminal.canAsk, !arguments.yes {
        guard try terminal.agrees(to: await Self.question(ids, in: store)) else {
          try terminal.note("Nothing was deleted.")
          return .failed
        }
      }
      let before = try await store.health().databaseBytes
      let removals = try await store.deleteCompletely(ids)
      for id in ids {
        guard let removal = removals[id] else { continue }
        try terminal.note(
          "Deleted \(id.text): \(Words.entries(removal.entries)), "
            + "\(Words.count(removal.attachments, "attachment")), "
            + "\(Words.count(removal.artifacts, "artifact")) (\(Words.size(removal.artifactBytes)))."
        )
      }
      try await Self.giveBack(store, from: before, terminal)
      if removals.values.contains(where: { !$0.isComplete }) {
        try terminal.note(
          "Some of it is still in the files of the store: a backup, an export or a program that reads it is in the way. The next sweep goes on."
        )
      }
      return .done
    }
  }

  /// Returns the question for a person, with the sessions to delete.
  private static func question(_ ids: [UUID], in store: Store) async throws -> String {
    var lines: [String] = []
    for id in ids {
      let session = try await store.session(id).summary()
      let title = Terminal.oneLine(session.title ?? session.preview ?? "without a title")
      lines.append("\(Words.short(id))  \(title)  (\(Words.entries(session.entries)))")
    }
    let what = ids.count == 1 ? "this session" : "these \(ids.count) sessions"
    return (lines + ["Delete \(what)? It can't be brought back."]).joined(separator: "\n")
  }

  /// Gives free space back to the disk if that is quick, and otherwise prints how to do it.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - before: The size of the database before the deletion.
  ///   - terminal: The terminal for messages.
  private static func giveBack(_ store: Store, from before: Int64, _ terminal: Terminal)
    async throws
  {
    do { try await store.giveBack() } catch let error as KeepsakeError {
      // The sessions are deleted, and the space can be given back later.
      return try terminal.note(error.told)
    }
    // The sizes are compared because the idle store may have given the space back on its own, not by this call.
    let health = try await store.health()
    if health.databaseBytes < before {
      try terminal.note("Gave \(Words.size(before - health.databaseBytes)) back to the disk.")
    }
    guard health.isWorthCompacting else { return }
    try terminal.note(
      "\(Words.size(health.freeBytes)) of the database are free now, and new entries use them. 'keepsake compact' gives them back to the disk."
    )
  }
}
