import Keepsake

/// `keepsake show`: one conversation, to be read.
struct ShowCommand: Command {
  static let declaration = Declaration(
    name: "show",
    summary: "Show a conversation: what was said, called and made.",
    discussion: """
      SESSION is an id, a unique beginning of it, or 'last'. Tool calls and what they gave back are
      one line each; --tools shows all of them. What hangs on an entry is a line below it: its
      label, type, pixels, size and caption; 'keepsake get SESSION/LABEL' gives the bytes.
      """,
    operands: [.required("SESSION")],
    options: [
      .init(name: "--last", value: "N", help: "Only the newest N entries."),
      .init(name: "--entry", value: "N", help: "Only the entry at that position."),
      .init(name: "--tools", help: "Show tool calls, outputs and reasoning in full."),
      .json,
    ],
    examples: [
      ("keepsake show last", "Show the newest conversation."),
      ("keepsake show 3f2a --last 20 --tools", "The end of one, with its tool calls in full."),
      ("keepsake show last --json", "The conversation as JSON."),
    ])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let last = try arguments.number("--last")
    let position = try arguments.number("--entry", atLeast: 0)
    if last != nil, position != nil {
      throw UsageError(
        message: "'--last' and '--entry' don't go together. Give one of them.", command: "show")
    }
    return try await context.withStore(arguments, for: .reading) { store in
      let session = try await Locator(store: store).session(arguments.operands[0])
      let summary = try await session.summary()
      let page: any EntryPage =
        arguments.has("--json")
        ? JSONEntryPage(terminal: context.terminal)
        : TextEntryPage(terminal: context.terminal, showsAll: arguments.has("--tools"))
      try page.begin(summary)
      var count = 0
      func show(_ entry: Entry) throws {
        try page.entry(entry, isFirst: count == 0)
        count += 1
      }
      if let position {
        try show(try await session.entry(at: position))
      } else if let last {
        // By pages, as a number may be asked for that does not fit into memory.
        let start = max(0, summary.entries - last)
        for try await entry in session.entries(from: start) { try show(entry) }
      } else {
        for try await entry in session.entries { try show(entry) }
      }
      try page.end()
      return .done
    }
  }
}

/// How a conversation is shown.
protocol EntryPage {
  func begin(_ session: Session.Summary) throws
  func entry(_ entry: Entry, isFirst: Bool) throws
  func end() throws
}

/// One object with the session and its entries, written as they are read.
private struct JSONEntryPage: EntryPage {
  let terminal: Terminal

  func begin(_ session: Session.Summary) throws {
    var writer = JSONWriter()
    writer.write(session)
    try write(Array(#"{"session":"#.utf8) + writer.bytes + Array(#","entries":["#.utf8))
  }

  func entry(_ entry: Entry, isFirst: Bool) throws {
    try write((isFirst ? [] : [UInt8(ascii: ",")]) + entry.json.bytes)
  }

  func end() throws { try write(Array("]}\n".utf8)) }

  private func write(_ json: [UInt8]) throws {
    try terminal.output(terminal.isTerminal ? Terminal.escapingControls(json) : json)
  }
}
