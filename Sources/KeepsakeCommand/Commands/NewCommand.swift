#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// `keepsake new`: begins a session.
struct NewCommand: Command {
  static let declaration = Declaration(
    name: "new",
    summary: "Begin a session, and print its id.",
    operands: [.optional("TITLE", "Its title; without one, lists show its first prompt.")],
    options: [
      .init(name: "--tag", value: "TAG", repeats: true, help: "A tag; may be given again."),
      .init(name: "--origin", value: "NAME", help: "Where it comes from."),
    ],
    examples: [("keepsake new 'Fruit salad' --tag food", "Begin a session with a title.")])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let id = try await context.withStore(arguments, for: .creating) { store in
      try await store.createSession(
        title: arguments.operands.first, origin: arguments.value("--origin"),
        tags: arguments.values("--tag")
      ).id
    }
    try context.terminal.line(id.uuidString.lowercased())
    return .done
  }
}
