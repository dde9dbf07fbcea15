import Keepsake

/// The command `keepsake log`, which lists what was done to a store.
struct LogCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "log",
    summary: "List what was done to the store: imports, erasures, deletions, sweeps, repairs.",
    discussion: """
      The newest line comes first. Each line was written in one transaction with the change that it
      tells of. The log holds nothing of the content of conversations; 'keepsake show' shows that.
      """,
    examples: [
      ("keepsake log", "What was done last."),
      ("keepsake log --jsonl --limit 1000", "A line of JSON for each."),
    ],
    isPaged: true)

  let page = PageParameters<LogLine.Cursor>(of: "lines", limit: 50)

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.log(limit: arguments.page.limit, after: arguments.page.after)
    }
    let terminal = context.terminal
    try ListPage(page.lines, next: page.next) { $1.write($0) }.print(
      arguments.page, terminal, nothing: "Nothing was done to the store yet.",
      columns: [
        .init(heading: "TIME", style: .faint), .init(heading: "DONE", style: .code),
        .init(heading: "WHAT", gives: true),
      ]
    ) { line in
      [Words.time(line.time, terminal), line.event.rawValue, Self.words(line.detail)]
    }
    return .done
  }

  /// Describes the details of a line, such as `session 3f2a…, entries 5`; unknown details are shown as they are.
  private static func words(_ detail: JSON) -> String {
    guard let members = detail.members else { return detail.text }
    return members.map { key, value in
      let text = value.stringValue ?? value.text
      return key == "bytes" ? Words.size(value.intValue ?? 0) : "\(key) \(text)"
    }.joined(separator: ", ")
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ line: LogLine) {
    beginObject()
    fixed("number", line.number)
    fixed("time", line.time)
    fixed("event", line.event.rawValue)
    key("detail")
    raw(line.detail)
    endObject()
  }
}
