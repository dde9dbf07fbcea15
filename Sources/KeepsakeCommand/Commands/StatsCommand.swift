import Keepsake

/// `keepsake stats`: how much a store holds.
struct StatsCommand: Command {
  static let declaration = Declaration(
    name: "stats",
    summary: "Say how much a store holds, by type and tool, and what was not stored twice.",
    options: [.json],
    examples: [("keepsake stats", "What takes the space.")])

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let found = try await context.withStore(arguments, for: .reading) { store in
      try await store.statistics()
    }
    if arguments.has("--json") {
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
}

extension JSONWriter {
  fileprivate mutating func write(_ found: StoreStatistics) {
    beginObject()
    fixed("sessions", found.sessions)
    fixed("entries", found.entries)
    fixed("attachments", found.attachments)
    fixed("artifacts", found.artifacts)
    fixed("artifactBytes", found.artifactBytes)
    fixed("savedBytes", found.savedBytes)
    fixed("databaseBytes", found.databaseBytes)
    key("types")
    array(found.types) { $1.write($0) }
    key("tools")
    array(found.tools) { $1.write($0) }
    endObject()
  }

  private mutating func write(_ share: StoreStatistics.Share) {
    beginObject()
    fixed("name", share.name)
    fixed("artifacts", share.artifacts)
    fixed("bytes", share.bytes)
    endObject()
  }
}
