#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake sweep`, which removes files and artifacts that nothing uses.
struct SweepCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "sweep",
    summary: "Remove what belongs to nothing, such as files that killed programs left.",
    discussion: """
      A sweep never touches what sessions show, or what a program is still writing. First it checks
      that all artifacts are there. If some are missing, it removes nothing and ends with 2, because
      what seems to belong to nothing may be a part of them. If no backup has a missing artifact,
      name it with --give-up, and the sweep goes on without it. Its attachments stay, and the
      store's log notes that it was given up.
      """,
    examples: [
      ("keepsake sweep --dry-run", "See what a sweep would remove."),
      ("keepsake sweep", "Remove it."),
    ])

  let dryRun = Flag("--dry-run", help: "Tell what would be removed, and change nothing.")
  let olderThan = Option(
    "--older-than", value: "AGE", as: .time,
    help: "Leave alone what is younger (30min, 12h, 7d), unless its program has ended; else 1h.")
  let giveUp = Option(
    "--give-up", value: "ARTIFACT", several: .artifact,
    help: "Sweep although this artifact is missing (sha256:…); may be given again.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let isDry = arguments.dryRun
    let age = arguments.olderThan.map { time in
      let now = context.now()
      return Duration.seconds(max(0, now.timeIntervalSince(time.date(at: now))))
    }
    let lost = Set(arguments.giveUp)
    try terminal.progress("looking at what the store has")
    let removal: Removal
    do {
      removal = try await context.withStore(arguments, for: isDry ? .reading : .writing) { store in
        let age = age ?? .seconds(3600)
        return isDry
          ? try await store.sweepPreview(olderThan: age, givingUp: lost)
          : try await store.sweep(olderThan: age, givingUp: lost)
      }
    } catch {
      try terminal.progress("")
      throw error
    }
    try terminal.progress("")
    if arguments.json {
      try terminal.json { $0.write(removal, isDry: isDry, givingUp: lost) }
    } else {
      try Self.print(removal, isDry: isDry, terminal)
      for id in lost.sorted() { try terminal.note("Went on although \(id) is missing.") }
    }
    return .done
  }

  private static func print(_ removal: Removal, isDry: Bool, _ terminal: Terminal) throws {
    let parts = [
      ("sessions", removal.sessions, nil), ("artifacts", removal.artifacts, removal.artifactBytes),
      ("other files", removal.strayFiles, removal.strayBytes),
    ].filter { $0.1 > 0 }
    if parts.isEmpty {
      try terminal.line(
        isDry ? "A sweep would find nothing to remove." : "There was nothing to remove.")
    } else {
      try terminal.line(isDry ? "A sweep would remove:" : "Removed:")
      let width = parts.map { "\($0.1)".count }.max() ?? 0
      for (name, count, bytes) in parts {
        let number = String(repeating: " ", count: width - "\(count)".count) + "\(count)"
        let size = bytes.map { "  \(Words.size($0))" } ?? ""
        try terminal.line("  \(name.padded(to: 11))  \(number)\(size)")
      }
    }
    if !removal.isComplete {
      try terminal.note(
        "Something is still on the disk, because a backup, an export or a reader was in the way. Sweep again when it is done."
      )
    }
  }
}

extension JSONWriter {
  fileprivate mutating func write(
    _ removal: Removal, isDry: Bool, givingUp lost: Set<Artifact.ID>
  ) {
    beginObject()
    flag("dryRun", isDry)
    fixed("sessions", removal.sessions)
    fixed("entries", removal.entries)
    fixed("artifacts", removal.artifacts)
    fixed("artifactBytes", removal.artifactBytes)
    fixed("files", removal.strayFiles)
    fixed("fileBytes", removal.strayBytes)
    flag("complete", removal.isComplete)
    strings("gaveUp", lost.sorted().map(\.description))
    endObject()
  }
}
