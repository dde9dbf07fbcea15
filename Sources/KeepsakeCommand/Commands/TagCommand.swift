import Keepsake

/// The command `keepsake tag`, which adds and removes the tags of a session.
struct TagCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "tag",
    summary: "Add or remove tags of a session, and print all of its tags.",
    examples: [
      ("keepsake tag last food fruit", "Add two tags."),
      ("keepsake tag last --remove food", "Remove a tag."),
    ])

  let session = Operand.session
  let tags = Operand.several("TAG", "A tag to add.", isRequired: false)
  let remove = Option(
    "--remove", value: "TAG", several: .text, help: "A tag to remove; may be given again.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let added = arguments.tags
    let removed = arguments.remove
    let changes = !added.isEmpty || !removed.isEmpty
    let tags = try await context.withStore(arguments, for: changes ? .writing : .reading) { store in
      let session = try await Locator(store: store).session(arguments.session)
      if changes { try await session.tag(added, removing: removed) }
      return try await session.summary().tags
    }
    for tag in tags { try context.terminal.line(Terminal.oneLine(tag)) }
    return .done
  }
}
