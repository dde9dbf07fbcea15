import Keepsake

/// The command `keepsake ls`, which lists the sessions of a store.
struct ListCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "ls",
    summary: "List sessions, the newest first.",
    discussion: """
      Only sessions that fulfil all conditions are listed. TEXT is words of the title, or of the
      beginning of the first prompt if there is no title, with the syntax of 'search'. Other
      commands take SESSION as the id in the first column, as a unique beginning of it, or as
      'last'.
      """,
    examples: [
      ("keepsake ls", "List the newest sessions."),
      ("keepsake ls banana", "Those with that word in the title."),
      ("keepsake ls --since 7d --has image", "Those of the last week that have images."),
      ("keepsake ls --jsonl --limit 1000", "A line of JSON for each."),
    ],
    isPaged: true)

  let text = Operand.several(
    "TEXT", "Words of the title, or of the first prompt.", isRequired: false)
  let filters = FilterParameters()
  let page = PageParameters<Session.Cursor>(of: "sessions", limit: 50)

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let now = context.now()
    var filter = arguments.filters.filter(at: now)
    let text = arguments.text.joined(separator: " ")
    if !text.isEmpty { filter.text = text }
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.sessions(
        filter, limit: arguments.page.limit, after: arguments.page.after)
    }
    try ListPage(page.sessions, next: page.next) { $1.write($0) }.print(
      arguments.page, context.terminal, nothing: "No sessions.",
      columns: [
        .init(heading: "SESSION", style: .code), .init(heading: "TITLE", gives: true),
        .init(heading: "AGE", isNumber: true, style: .faint), .init(heading: "MODEL", leaves: 4),
        .init(heading: "ORIGIN", leaves: 5), .init(heading: "ENTRIES", isNumber: true, leaves: 1),
        .init(heading: "ATTACHED", isNumber: true, leaves: 2),
        .init(heading: "SIZE", isNumber: true, leaves: 3),
      ]
    ) { session in
      let tags = session.tags.map { " \($0.markedAsTag)" }.joined()
      return [
        Words.short(session.id), (session.name ?? "") + tags,
        Words.age(of: session.updated, at: now), session.model ?? "", session.origin ?? "",
        "\(session.entries)", session.attachments == 0 ? "" : "\(session.attachments)",
        Words.size(session.bytes),
      ]
    }
    return .done
  }
}
