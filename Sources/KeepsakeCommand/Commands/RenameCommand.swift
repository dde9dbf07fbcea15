import Keepsake

/// `keepsake rename`: gives a session a title.
struct RenameCommand: Command {
  static let declaration = Declaration(
    name: "rename",
    summary: "Give a session a title.",
    discussion: "An empty title takes it away: then the beginning of its first prompt is shown.",
    operands: [.session, .required("TITLE", "Its title from now on.")],
    examples: [("keepsake rename last 'Fruit salad'", "Name the newest session.")])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let title = arguments.operands[1]
    try await context.withStore(arguments, for: .writing) { store in
      try await Locator(store: store).session(arguments.operands[0])
        .rename(title.isEmpty ? nil : title)
    }
    return .done
  }
}
