#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake search`, which finds entries by their words.
struct SearchCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "search",
    summary: "Find entries by their words, in all sessions.",
    discussion: """
      An entry is found if it has all of the words. "two words" in quotes must stand side by side,
      ban* stands for all words that begin so, and -word excludes entries. Case and accents don't
      matter. The newest entries come first. Before them come up to ten sessions whose titles have
      the words, unless the search is limited to a part of the store.
      """,
    examples: [
      ("keepsake search banana", "Find a word."),
      (#"keepsake search '"ripe banana"' -green"#, "Two words side by side, without a third."),
      ("keepsake search --in prompt --ranked 'ban*'", "Prompts, the best match first."),
    ],
    takesHyphens: true, isPaged: true)

  let query = Operand.several("QUERY", "Words, phrases in quotes, and words to leave out.")
  let places = Option(
    "--in", value: "KIND", several: Reading<Place>.choice,
    help: "Only in these entries; may be given again.")
  let session = Option(
    "--session", value: "SESSION", as: .text, help: "Only in this session.")
  let tool = Option(
    "--tool", value: "NAME", as: .text, help: "Only calls of this tool, and its outputs.")
  let model = Option("--model", value: "NAME", as: .text, help: "Only entries of this model.")
  let tag = Option("--tag", value: "TAG", as: .text, help: "Only entries with this tag.")
  let since = Option(
    "--since", value: "TIME", as: .time, help: "Only entries of this time or later, such as 7d.")
  let until = Option(
    "--until", value: "TIME", as: .time, help: "Only entries before this time.")
  let ranked = Flag("--ranked", help: "Sort the newest 1,000 hits by how well they match.")
  let page = PageParameters<SearchCursor>(of: "hits", limit: 20)

  /// The parts of a conversation that can be searched by themselves.
  enum Place: String, CaseIterable {
    case prompt, response, tool, reasoning, event

    var kinds: Set<Entry.Kind> {
      switch self {
      case .prompt: [.prompt]
      case .response: [.response]
      case .tool: [.toolCalls, .toolOutput]
      case .reasoning: [.reasoning]
      case .event: [.event]
      }
    }
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let now = context.now()
    var scope = SearchScope(
      kinds: Set(arguments.places.flatMap(\.kinds)),
      tool: arguments.tool, model: arguments.model,
      tag: arguments.tag, since: arguments.since?.date(at: now),
      until: arguments.until?.date(at: now))
    let query = arguments.query.joined(separator: " ")
    return try await context.withStore(arguments, for: .takingPart) { store in
      if let name = arguments.session {
        scope.session = try await Locator(store: store).session(name).id
      }
      let page: SearchPage
      do {
        page = try await store.search(
          query, in: scope, order: arguments.ranked ? .ranked : .newest,
          limit: arguments.page.limit, after: arguments.page.after,
          indexing: IndexingMeter(context.terminal).told)
        try context.terminal.progress("")
      } catch let error as KeepsakeError where error.cause is SearchQueryError {
        throw UsageError(message: error.message, command: "search")
      }
      let titled =
        arguments.page.after == nil ? try await Self.sessions(titled: query, in: scope, store) : []
      let isJSON = arguments.page.json || arguments.page.jsonl
      let entries = isJSON ? try await Self.entries(of: page.hits, in: store) : [:]
      let found = titled.map(Found.session) + page.hits.map(Found.entry)
      try ListPage(found, next: page.next) { found, writer in
        switch found {
        case .session(let session): writer.write(titled: session)
        case .entry(let hit): writer.write(hit, entry: entries[hit.id])
        }
      }.print(arguments.page, context.terminal, nothing: "Nothing found.") { _ in
        try Self.print(titled, now: now, context.terminal)
        if !titled.isEmpty, !page.hits.isEmpty { try context.terminal.line() }
        try Self.print(page.hits, now: now, context.terminal)
      }
      if page.unindexed > 2000 {
        try context.terminal.note(
          "\(page.unindexed) entries are not indexed yet and were read one by one. Search once without --read-only, and it is fast."
        )
      }
      return .done
    }
  }

  /// An item of a result page: a session with a matching title, or a matching entry.
  private enum Found {
    case session(Session.Summary)
    case entry(SearchHit)
  }

  /// Returns the newest sessions with a matching title, if the whole store is searched.
  private static func sessions(titled query: String, in scope: SearchScope, _ store: Store)
    async throws -> [Session.Summary]
  {
    guard scope == SearchScope() else { return [] }
    return try await store.sessions(.init(text: query), limit: 10).sessions
      .filter { $0.title != nil }
  }

  private static func print(_ sessions: [Session.Summary], now: Date, _ terminal: Terminal) throws {
    for session in sessions {
      let age = Words.age(of: session.updated, at: now)
      let room = terminal.width.map { max(12, $0 - age.columns - 19) } ?? .max
      try terminal.line(
        terminal.styled(Words.short(session.id), .code) + "  "
          + terminal.styled(Terminal.oneLine(session.name ?? "").fitting(room), .heading)
          + terminal.styled("  title  \(age)", .faint))
    }
  }

  /// Returns the ids of the found entries.
  private static func entries(of hits: [SearchHit], in store: Store) async throws
    -> [SearchHit.ID: UUID]
  {
    var found: [SearchHit.ID: UUID] = [:]
    for hit in hits {
      found[hit.id] = try await store.session(hit.session).entry(at: hit.position).id
    }
    return found
  }

  private static func print(_ hits: [SearchHit], now: Date, _ terminal: Terminal) throws {
    var session: UUID?
    for hit in hits {
      if hit.session != session {
        if session != nil { try terminal.line() }
        session = hit.session
        try terminal.line(
          terminal.styled(Words.short(hit.session), .code) + "  "
            + terminal.styled(
              Terminal.oneLine(hit.title ?? "without a title").fitting(
                terminal.width.map { max(12, $0 - 10) } ?? .max), .heading))
      }
      let head = "\("\(hit.position)".padded(to: 6, right: true))  \(hit.kind.name)"
        .padded(to: 20)
      let age = hit.created.map { Words.age(of: $0, at: now) } ?? "time unknown"
      let room = terminal.width.map { max(12, $0 - head.columns - age.columns - 3) }
      try terminal.line(
        "\(terminal.styled(head, .faint)) \(SnippetLine(hit.snippet).text(fitting: room, terminal))"
          + terminal.styled("  \(age)", .faint))
    }
  }
}
