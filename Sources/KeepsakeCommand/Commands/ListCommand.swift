import Keepsake

/// `keepsake ls`: the sessions of a store.
struct ListCommand: Command {
  static let declaration = Declaration(
    name: "ls",
    summary: "List sessions, the newest first.",
    discussion: """
      Each condition that is given must hold. TEXT is words of the title, or, where there is none, of
      the beginning of the first prompt, read as 'search' reads them. SESSION, as other commands take it, is the id that
      stands first, any unique beginning of it, or 'last'.
      """,
    operands: [.several("TEXT", "Words of the title, or of the first prompt.", isRequired: false)],
    options: Declaration.Option.filters + Declaration.Option.paging(of: "sessions", limit: 50),
    examples: [
      ("keepsake ls", "List the newest sessions."),
      ("keepsake ls banana", "Those with that word in the title."),
      ("keepsake ls --since 7d --has image", "Those of the last week that have images."),
      ("keepsake ls --jsonl --limit 1000", "A line of JSON for each."),
    ],
    isPaged: true)

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let now = context.now()
    var filter = try arguments.filter(in: context)
    let text = arguments.operands.joined(separator: " ")
    if !text.isEmpty { filter.text = text }
    let limit = try arguments.number("--limit") ?? 50
    let cursor = try arguments.cursor(Session.Cursor.self)
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.sessions(filter, limit: limit, after: cursor)
    }
    try ListPage(page.sessions, next: page.next) { $1.write($0) }.print(
      arguments, context.terminal, nothing: "No sessions.",
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
