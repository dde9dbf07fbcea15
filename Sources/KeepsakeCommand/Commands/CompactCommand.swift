import Keepsake

/// The command `keepsake compact`, which gives the space of deleted content back to the disk.
struct CompactCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "compact",
    summary: "Give free space in the database back to the disk.",
    discussion: """
      The database is written anew, without its free space. Nobody else can write meanwhile, which
      takes about a second for each 100 MB in use. Without this, new entries fill the free space.
      'keepsake doctor' tells how much there is.
      """,
    examples: [("keepsake compact", "Make the database as small as it can be.")])

  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let (before, after) = try await context.withStore(arguments, for: .writing) { store in
      let before = try await store.health()
      let meter = CompactMeter(terminal, bytes: before.databaseBytes - before.freeBytes)
      try meter.begin()
      do { try await store.compact(progress: meter.told) } catch {
        try terminal.progress("")
        throw error
      }
      try terminal.progress("")
      return (before.databaseBytes, try await store.health().databaseBytes)
    }
    if arguments.json {
      try terminal.json { writer in
        writer.beginObject()
        writer.fixed("databaseBytes", after)
        writer.fixed("freedBytes", max(0, before - after))
        writer.endObject()
      }
    } else if after < before {
      try terminal.line(
        "The database has \(Words.size(after)) now, \(Words.size(before - after)) less than before."
      )
    } else {
      try terminal.line("The database has \(Words.size(after)), and nothing in it was free.")
    }
    return .done
  }
}
