#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// A running export with its messages.
struct Exporting {
  let store: Store
  let request: ExportRequest
  let terminal: Terminal

  func write(_ sessions: [Session], to url: URL) async throws {
    let terminal = terminal
    let isAll = request.isAll
    let count = Locked(0)
    let report: ExportReport
    do {
      report = try await store.export(
        sessions, as: request.name, to: url, options: request.options,
        replacing: request.mayReplace
      ) { file in
        guard isAll else { return try Self.tell(file, terminal) }
        let done = count.withLock { count in
          count += 1
          return count
        }
        try terminal.progress("\(done) of \(sessions.count)  \(file.url.path)")
      }
    } catch let error as FormatError where error.code == .exists {
      try terminal.progress("")
      throw CommandError(
        message:
          "'\(error.file ?? url.path)' is there already. Replace it with --force, or name another file."
      )
    }
    if isAll {
      try terminal.progress("")
      try Self.tell(report, in: url, terminal)
    }
    if !isAll, let list = report.list { try terminal.note(list.path) }
    for file in report.files where !isAll { try tell(file.losses, of: file.sessions) }
    if isAll { try tell(report.losses, of: sessions.map(\.id)) }
  }

  /// Installs sessions where their agent looks for them, and prints how to resume them there.
  func install(_ sessions: [Session], environment: [String: String]) async throws {
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandError(
        message:
          "Can't tell where agents keep their sessions: HOME is not set. Name a file with -o.")
    }
    for session in sessions {
      do {
        let installed = try await session.install(
          as: request.name, options: request.options, home: home, environment: environment)
        try terminal.note(installed.path)
        if let resuming = installed.resuming { try terminal.line(resuming) }
        try tell(installed.losses, of: [session.id])
      } catch let error as FormatError where error.code == .exists {
        throw CommandError(
          message:
            "'\(error.file ?? Words.short(session.id))' is there already. An agent's own file is never replaced; move it away first."
        )
      }
    }
  }

  func print(_ sessions: [Session]) async throws {
    let losses: Losses
    if terminal.isTerminal {
      losses = try await show(sessions)
    } else {
      let terminal = terminal
      losses = try await store.export(sessions, as: request.name, options: request.options) {
        try terminal.output($0)
      }
    }
    try tell(losses, of: sessions.map(\.id))
  }

  /// Prints an export to a terminal, as a whole, because control characters must be escaped and a piece may split a character.
  private func show(_ sessions: [Session]) async throws -> Losses {
    let ending = request.format.fileExtensions.first ?? ""
    guard let type = MediaType.forFileExtension(ending), type.isText else {
      throw CommandError(
        message:
          "'\(request.name)' is no text, and standard output is a terminal. Write it to a file with -o FILE, or into a pipe."
      )
    }
    let whole = Locked<[UInt8]>([])
    let losses = try await store.export(sessions, as: request.name, options: request.options) {
      piece in whole.withLock { $0 += piece }
    }
    let bytes = whole.withLock { $0 }
    let isJSON = type == .json || type == .jsonLines
    try terminal.output(
      isJSON
        ? Terminal.escapingControls(bytes)
        : Array(Terminal.printable(String(decoding: bytes, as: UTF8.self)).utf8))
    return losses
  }

  // MARK: - What is told

  private static func tell(_ file: ExportReport.File, _ terminal: Terminal) throws {
    let artifacts =
      file.artifacts == 0
      ? "" : "  with \(Words.count(file.artifacts, "artifact")) in a folder beside it"
    try terminal.note(file.url.path + artifacts)
  }

  private static func tell(_ report: ExportReport, in url: URL, _ terminal: Terminal) throws {
    let sessions = report.files.reduce(0) { $0 + $1.sessions.count }
    let artifacts = report.files.reduce(0) { $0 + $1.artifacts }
    var text = "\(url.path)  \(Words.count(sessions, "session"))"
    if report.files.count != 1 || sessions == 1 {
      text += " in \(Words.count(report.files.count, "file"))"
    }
    if let list = report.list { text += ", listed in \(list.lastPathComponent)" }
    if artifacts > 0 { text += ", \(Words.count(artifacts, "artifact")) in folders beside them" }
    try terminal.note(text)
  }

  private func tell(_ losses: Losses, of sessions: [UUID]) throws {
    guard !losses.isEmpty else { return }
    let subject =
      sessions.count == 1
      ? Words.short(sessions[0]) : Words.count(sessions.count, "session")
    let reason =
      request.options.resumption == nil
      ? "as '\(request.name)' has no place for it" : "as a model is not given it"
    try terminal.note("Left out of \(subject), \(reason): \(losses).")
  }
}
