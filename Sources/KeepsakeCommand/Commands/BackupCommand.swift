#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The command `keepsake backup`, which makes a checked copy of the store.
struct BackupCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "backup",
    summary: "Copy the store as it is now, even while others write, and check the copy.",
    discussion: """
      The copy is a store like any other. It appears when it is complete and was read again. If the
      store is damaged, the damage is told, the command ends with 2, and the copy has everything
      else.
      """,
    examples: [("keepsake backup Backups/2026-11-21.keepsake", "Copy the store to a new folder.")])

  let path = Operand.required("PATH", "The path of the copy, which must not exist yet.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    let place = URL(filePath: arguments.path)
    let backup = try await context.withStore(arguments, for: .reading) { store in
      try await terminal.showing(Self.words) { progress in
        try await store.backup(to: place, progress: progress)
      }
    }
    let report = backup.report.told
    if arguments.json {
      try VerifyCommand.printJSON(
        Shape(path: place.path, bytes: backup.bytes, report: report), terminal)
    } else {
      try VerifyCommand.warn(of: report, terminal)
      try terminal.line(VerifyCommand.verdict(report, terminal))
      try terminal.line("\(Words.size(backup.bytes)) in '\(Terminal.printable(place.path))'.")
    }
    return report.isSound ? .done : .damaged
  }

  /// The result of a backup, as `--json` prints it.
  private struct Shape: Encodable {
    let path: String
    let bytes: Int64
    let report: VerifyReport
  }

  private static func words(_ progress: BackupProgress) -> String {
    switch progress.phase {
    case .database: "database  \(Words.size(progress.done)) of \(Words.size(progress.total))"
    case .artifacts: "artifacts  \(Words.size(progress.done)) of \(Words.size(progress.total))"
    case .verifying: "checking  \(progress.done) of \(progress.total)"
    }
  }
}
