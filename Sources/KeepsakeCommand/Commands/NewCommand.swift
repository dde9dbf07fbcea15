#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake new`, which creates a session.
struct NewCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "new",
    summary: "Begin a session, and print its id.",
    examples: [("keepsake new 'Fruit salad' --tag food", "Begin a session with a title.")])

  let title = Operand.optional("TITLE", "The title; without one, lists show the first prompt.")
  let tag = Option("--tag", value: "TAG", several: .text, help: "A tag; may be given again.")
  let origin = Option("--origin", value: "NAME", as: .text, help: "The origin of the session.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let id = try await context.withStore(arguments, for: .creating) { store in
      try await store.createSession(
        title: arguments.title, origin: arguments.origin, tags: arguments.tag
      ).id
    }
    try context.terminal.line(id.text)
    return .done
  }
}
