import Keepsake

/// The command `keepsake show`, which prints one conversation.
struct ShowCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "show",
    summary: "Show a conversation: what was said, called and made.",
    discussion: """
      SESSION is an id, a unique beginning of it, or 'last'. A tool call and its output take one
      line each; --tools shows them in full. Attachments stand below their entry, with label, type,
      pixels, size and caption. 'keepsake get SESSION/LABEL' writes their bytes. On a terminal,
      Markdown is formatted.

      With --follow, the command goes on with new entries of any program until Ctrl-C. A terminal
      also shows drafts and running tools; otherwise, only whole entries are printed, with --json as
      a line of JSON each.
      """,
    examples: [
      ("keepsake show last", "Show the newest conversation."),
      (
        "keepsake show 3f2a --last 20 --tools",
        "Show the end of a conversation, with tool calls in full."
      ),
      ("keepsake show last --json", "The conversation as JSON."),
      ("keepsake show last --last 5 --follow", "Show the end of a conversation, and new entries."),
    ],
    isPaged: true, variables: [.images])

  let session = Operand.session
  let last = Option("--last", value: "N", as: .number(), help: "Only the newest N entries.")
  let entry = Option(
    "--entry", value: "N", as: .number(atLeast: 0), help: "Only the entry at this position.")
  let tools = Flag("--tools", help: "Show tool calls, outputs and reasoning in full.")
  let follow = Flag("--follow", short: "-f", help: "Go on with new entries.")
  let raw = Flag("--raw", help: "Show texts as they were written.")
  let images = Option.images
  let json = Flag.json

  /// A pager can neither show images nor follow a session, so both turn paging off.
  func isPaged(_ arguments: Arguments<Self>, in context: Context) -> Bool {
    !arguments.follow && InlineImages(arguments.images, in: context) == nil
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let last = arguments.last
    let position = arguments.entry
    if last != nil, position != nil {
      throw UsageError(
        message: "'--last' and '--entry' don't go together. Give one of them.", command: "show")
    }
    let follows = arguments.follow
    if follows, position != nil {
      throw UsageError(
        message: "'--follow' and '--entry' don't go together. Give one of them.", command: "show")
    }
    let terminal = context.terminal
    let text = TextEntryPage(
      terminal: terminal, showsAll: arguments.tools, isRaw: arguments.raw,
      images: InlineImages(arguments.images, in: context, margin: TextEntryPage.margin.count))
    return try await context.withStore(arguments, for: follows ? .takingPart : .reading) { store in
      let session = try await Locator(store: store).session(arguments.session)
      if follows {
        let page: any FollowingPage =
          arguments.json
          ? JSONFollowingPage(terminal: terminal) : TextFollowingPage(page: text)
        try await HubNotices(store: store, terminal: terminal).telling(
          if: try store.sharedHub() != nil
        ) {
          var following = Following(session: session, page: page)
          try await following.run(last: last)
        }
        return .done
      }
      let summary = try await session.summary()
      let page: any EntryPage = arguments.json ? JSONEntryPage(terminal: terminal) : text
      try page.begin(summary)
      if let position {
        try await page.entry(try await session.entry(at: position), isFirst: true)
      } else {
        // The entries are read in pages, because the requested number may not fit into memory.
        let start = last.map { max(0, summary.entries - $0) } ?? 0
        for try await entry in session.entries(from: start) {
          try await page.entry(entry, isFirst: entry.position == start)
        }
      }
      try page.end()
      return .done
    }
  }
}

/// A JSON object with the session and its entries, which are written as they are read.
private struct JSONEntryPage: EntryPage {
  let terminal: Terminal

  func begin(_ session: Session.Summary) throws {
    var writer = JSONWriter()
    writer.write(session)
    try terminal.json(
      part: Array(#"{"session":"#.utf8) + writer.bytes + Array(#","entries":["#.utf8))
  }

  func entry(_ entry: Entry, isFirst: Bool) throws {
    if !isFirst { try terminal.json(part: [UInt8(ascii: ",")]) }
    try terminal.json(part: entry.json.bytes)
  }

  func end() throws { try terminal.json(part: Array("]}\n".utf8)) }
}
