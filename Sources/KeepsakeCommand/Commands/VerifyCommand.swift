#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The command `keepsake verify`, which checks that everything in a store is there and unaltered.
struct VerifyCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "verify",
    summary: "Check that everything in a store is present, unaltered and consistent.",
    discussion: """
      This never writes to the store. The command ends with 0 if all is well, and with 2 if
      something is damaged.

      Somebody who can rewrite the whole store can rewrite its chains, too. Keep the heads in a file
      in another place, and compare with them later.
      """,
    examples: [
      ("keepsake verify Chats.keepsake", "Check a store."),
      ("keepsake verify --read-data --json Chats.keepsake", "Check its artifacts' bytes, too."),
    ])

  let path = Operand.optional("PATH", "The store, in place of --store.")
  let readData = Flag("--read-data", help: "Read and hash every artifact, too.")
  let full = Flag(
    "--full", help: "Also check that the database's indexes agree with its tables.")
  let heads = Option(
    "--heads", value: "FILE", as: .text,
    help: "Compare with the heads in FILE; if it does not exist, write them to it.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let path = try arguments.path ?? context.store(arguments) ?? context.defaultStore()
    let kept = try arguments.heads.map { try Heads(file: $0) }
    let store = try await CouldNotRun.opening {
      try await Store(at: URL(filePath: path), options: .readOnly)
    }
    let report: VerifyReport
    do {
      try context.warn(of: store)
      report = try await store.verify(
        VerifyOptions(
          database: arguments.full ? .full : .quick,
          readData: arguments.readData, heads: kept?.heads ?? [])
      ).told
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    let isSound = report.isSound
    // The heads of a damaged store are not written, because they would later be taken for good ones.
    let hasWritten = isSound ? try kept?.write(report.heads) ?? false : false
    if arguments.json {
      try Self.printJSON(report, context.terminal)
    } else {
      try Self.print(report, context.terminal)
    }
    if hasWritten, let kept {
      try context.terminal.note(
        "The heads of \(report.heads.count) sessions are in '\(kept.file)'.")
    }
    return isSound ? .done : .damaged
  }

  static func printJSON(_ report: some Encodable, _ terminal: Terminal) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try terminal.line(String(decoding: try encoder.encode(report), as: UTF8.self))
  }

  static func print(_ report: VerifyReport, _ terminal: Terminal) throws {
    for finding in report.findings { try print(finding, terminal) }
    if let omitted = omitted(report) { try terminal.line(omitted) }
    try terminal.line(verdict(report, terminal))
  }

  static func print(_ finding: VerifyReport.Finding, _ terminal: Terminal) throws {
    let style: Terminal.Style = finding.severity == .harmless ? .faint : .bad
    try terminal.line(
      "\(terminal.styled(finding.severity.rawValue, style))  \(words(finding))")
  }

  /// Prints the findings on standard error, for a command with another result.
  static func warn(of report: VerifyReport, _ terminal: Terminal) throws {
    for finding in report.findings {
      try terminal.note("\(finding.severity.rawValue)  \(words(finding))")
    }
    if let omitted = omitted(report) { try terminal.note(omitted) }
  }

  private static func words(_ finding: VerifyReport.Finding) -> String {
    Terminal.printable("\(finding.object): \(finding.what) \(finding.remedy)")
  }

  private static func omitted(_ report: VerifyReport) -> String? {
    report.omittedFindings > 0 ? "… and \(report.omittedFindings) findings more." : nil
  }

  /// Returns the line with the verdict and the numbers of checked things.
  static func verdict(_ report: VerifyReport, _ terminal: Terminal) -> String {
    let counts = report.counts
    let seen =
      "\(Words.count(counts.sessions, "session")), \(Words.entries(counts.entries)), "
      + "\(Words.count(counts.attachments, "attachment")), "
      + "\(Words.count(counts.artifacts, "artifact")), \(Words.count(counts.changes, "change"))"
    return "\(verdict(isSound: report.isSound, terminal)): \(seen)."
  }

  static func verdict(isSound: Bool, _ terminal: Terminal) -> String {
    isSound ? terminal.styled("Sound", .good) : terminal.styled("Damaged", .bad)
  }
}

/// A file outside of the store with the heads of the sessions' chains.
private struct Heads {
  let file: String
  /// The heads in the file; nil if the file does not exist yet.
  let heads: [VerifyReport.Head]?
  /// The folder for the file; nil if the file exists.
  private let folder: Directory?

  private var url: URL { URL(filePath: file) }
  private static let sizeLimit = 1 << 30

  init(file: String) throws {
    self.file = file
    guard let text = try Self.text(file) else {
      heads = nil
      // The folder is opened before the store is read, because reading may take long.
      folder = try OutsideFile.folder(URL(filePath: file).deletingLastPathComponent().path)
      return
    }
    folder = nil
    heads = try text.split(whereSeparator: \.isNewline).enumerated().map { index, line in
      guard let head = VerifyReport.Head(String(line)) else {
        throw UsageError(
          message: "Line \(index + 1) of '\(file)' is no head of a session.", command: "verify")
      }
      return head
    }
  }

  /// Returns the text of the file; nil if it does not exist.
  private static func text(_ file: String) throws -> String? {
    do throws(FileError) {
      let bytes = try OutsideFile.open(file).readAll(limit: sizeLimit)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      let isLink = FileStatus(ofLinkAt: file)?.kind == .link
      if error.code == .notFound, !isLink { return nil }
      let reason =
        error.code == .notFound
        ? "it is a link to a file that is not there. Remove the link, or name another file."
        : error.told
      throw UsageError(
        message: "Can't read the heads in '\(file)': \(reason)", command: "verify")
    }
  }

  /// Writes the file if it does not exist yet, and returns whether it did.
  func write(_ heads: [VerifyReport.Head]) throws -> Bool {
    guard let folder else { return false }
    let new = try NewFile(url.lastPathComponent, in: folder)
    try new.write(Array(heads.map { "\($0)\n" }.joined().utf8))
    try new.finish()
    return true
  }
}
