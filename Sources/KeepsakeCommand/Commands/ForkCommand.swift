#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// `keepsake fork`: goes on from the middle of a session in another way.
struct ForkCommand: Command {
  static let declaration = Declaration(
    name: "fork",
    summary: "Begin a session that shares another one's beginning, and print its id.",
    discussion: "Nothing is copied, and the session that is forked stays as it is.",
    operands: [.session],
    options: [
      .init(
        name: "--before", value: "N",
        help: "The first position that is not shared; without it all is."),
      .init(name: "--title", value: "TITLE", help: "Its title; else the same one."),
    ],
    examples: [("keepsake fork last --before 4", "Try again from the entry at position 4.")])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let position = try arguments.number("--before", atLeast: 0)
    let id = try await context.withStore(arguments, for: .writing) { store in
      try await Locator(store: store).session(arguments.operands[0])
        .fork(before: position, title: arguments.value("--title")).id
    }
    try context.terminal.line(id.uuidString.lowercased())
    return .done
  }
}
