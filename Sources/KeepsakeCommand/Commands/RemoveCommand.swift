#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// `keepsake rm`: deletes sessions.
struct RemoveCommand: Command {
  static let declaration = Declaration(
    name: "rm",
    summary: "Delete sessions, and the artifacts that nobody else uses.",
    discussion: """
      What is deleted can't be brought back. What forks share stays until the last of them goes. All
      the sessions are looked up before the first one is deleted.
      """,
    operands: [.several("SESSION")],
    examples: [("keepsake rm 3f2a 90cd", "Delete two sessions.")])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .writing) { store in
      var ids: [UUID] = []
      for name in arguments.operands {
        let id = try await Locator(store: store).session(name).id
        if !ids.contains(id) { ids.append(id) }
      }
      for id in ids {
        let removal = try await store.deleteSession(id)
        try terminal.note(
          "Deleted \(id.uuidString.lowercased()): \(Words.entries(removal.entries)), "
            + "\(Words.count(removal.attachments, "attachment")), "
            + "\(Words.count(removal.artifacts, "artifact")) (\(Words.size(removal.artifactBytes)))."
        )
      }
      return .done
    }
  }
}
