#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake fork`, which continues a session from an earlier position in a new session.
struct ForkCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "fork",
    summary: "Begin a session that shares the beginning of another, and print its id.",
    discussion: """
      Nothing is copied, and the other session does not change.
      """,
    examples: [("keepsake fork last --before 4", "Try again from the entry at position 4.")])

  let session = Operand.session
  let before = Option(
    "--before", value: "N", as: .number(atLeast: 0),
    help: "The first position that is not shared; without this, all entries are.")
  let title = Option(
    "--title", value: "TITLE", as: .text,
    help: "The title; without this, it is the other session's.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let id = try await context.withStore(arguments, for: .writing) { store in
      try await Locator(store: store).session(arguments.session)
        .fork(before: arguments.before, title: arguments.title).id
    }
    try context.terminal.line(id.text)
    return .done
  }
}
