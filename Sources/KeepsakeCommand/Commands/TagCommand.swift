import Keepsake

/// `keepsake tag`: words to find a session by.
struct TagCommand: Command {
  static let declaration = Declaration(
    name: "tag",
    summary: "Add tags to a session, or take them away, and print those that it has.",
    operands: [.session, .several("TAG", "A tag to add.", isRequired: false)],
    options: [
      .init(
        name: "--remove", value: "TAG", repeats: true, help: "Take it away; may be given again.")
    ],
    examples: [
      ("keepsake tag last food fruit", "Add two tags."),
      ("keepsake tag last --remove food", "Take one away."),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let added = Array(arguments.operands.dropFirst())
    let removed = arguments.values("--remove")
    let changes = !added.isEmpty || !removed.isEmpty
    let tags = try await context.withStore(arguments, for: changes ? .writing : .reading) { store in
      let session = try await Locator(store: store).session(arguments.operands[0])
      if changes { try await session.tag(added, removing: removed) }
      return try await session.summary().tags
    }
    for tag in tags { try context.terminal.line(Terminal.oneLine(tag)) }
    return .done
  }
}
