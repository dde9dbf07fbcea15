import Keepsake

/// The command `keepsake stats`, which prints the size of a store, or the usage of its answers.
struct StatsCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "stats",
    summary: "Tell how much a store holds, or how many tokens its answers took.",
    discussion: """
      With --by, INPUT counts all tokens that a model read, and CACHED those of them that came from
      a cache. OUTPUT counts all tokens that it wrote, and REASONING those of them that were
      reasoning. Answers whose source has no counts are left out. An answer that called two tools
      counts for both. Days follow this machine's clock on a terminal, and UTC elsewhere.
      """,
    examples: [
      ("keepsake stats", "Show what takes the space."),
      ("keepsake stats --by day --since 30d", "Show the tokens of each day of the last month."),
      ("keepsake stats --by session", "Show which sessions took most."),
    ])

  let by = Option(
    "--by", value: "WHAT", as: Reading<UsagePage.Subject>.choice,
    help: "Tokens and costs by \(UsagePage.Subject.names).")
  let span = SpanParameters()
  let json = Flag.json

  /// The options for the time span of the answers whose usage is summed up.
  struct SpanParameters: ParameterSet {
    let since = Option(
      "--since", value: "TIME", as: .time, help: "With --by: only answers of this time or later.")
    let until = Option(
      "--until", value: "TIME", as: .time, help: "With --by: only answers before this time.")
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    if let by = arguments.by {
      let page = try await usage(by, arguments, in: context)
      if arguments.json {
        try terminal.json { $0.write(page) }
      } else {
        try page.print(terminal)
      }
      return .done
    }
    if let name = arguments.span.names.first {
      throw UsageError(message: "'\(name)' goes with '--by'.", command: Self.declaration.name)
    }
    let found = try await context.withStore(arguments, for: .reading) { store in
      try await store.statistics()
    }
    if arguments.json {
      try terminal.json { $0.write(found) }
      return .done
    }
    let facts = [
      ("sessions", "\(found.sessions)"), ("entries", "\(found.entries)"),
      ("attachments", "\(found.attachments)"),
      ("artifacts", "\(found.artifacts), \(Words.size(found.artifactBytes))"),
      ("stored once", "\(Words.size(found.savedBytes)) saved"),
      ("database", Words.size(found.databaseBytes)),
    ]
    for (name, value) in facts {
      try terminal.line("\(terminal.styled(name.padded(to: 12), .faint))  \(value)")
    }
    for (heading, shares) in [("TYPE", found.types), ("MADE BY", found.tools)]
    where !shares.isEmpty {
      var table = TextTable([
        .init(heading: heading, gives: true), .init(heading: "ARTIFACTS", isNumber: true),
        .init(heading: "SIZE", isNumber: true),
      ])
      for share in shares {
        table.add([share.name, "\(share.artifacts)", Words.size(share.bytes)])
      }
      try terminal.line()
      try table.print(terminal)
    }
    return .done
  }

  private func usage(_ by: UsagePage.Subject, _ arguments: Arguments<Self>, in context: Context)
    async throws
    -> UsagePage
  {
    let now = context.now()
    let since = arguments.span.since?.date(at: now)
    let until = arguments.span.until?.date(at: now)
    let grouping = by.grouping(context.terminal)
    let shares = try await context.withStore(arguments, for: .reading) { store in
      try await store.usage(by: grouping, since: since, until: until)
    }
    return UsagePage(by: by, shares: shares)
  }
}
