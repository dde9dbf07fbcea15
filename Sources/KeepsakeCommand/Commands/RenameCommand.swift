import Keepsake

/// The command `keepsake rename`, which gives a session a title.
struct RenameCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "rename",
    summary: "Give a session a title.",
    discussion: """
      An empty title removes the title. Lists then show the beginning of the first prompt.
      """,
    examples: [("keepsake rename last 'Fruit salad'", "Name the newest session.")])

  let session = Operand.session
  let title = Operand.required("TITLE", "The new title.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let title = arguments.title
    try await context.withStore(arguments, for: .writing) { store in
      try await Locator(store: store).session(arguments.session)
        .rename(title.isEmpty ? nil : title)
    }
    return .done
  }
}
