#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The output of a watch, with a line for each import.
struct WatchPage {
  let terminal: Terminal
  let isJSON: Bool
  let now: @Sendable () -> Date

  func begin(_ places: [AgentPlace]) throws {
    guard !isJSON else { return }
    let found = places.filter { FileStatus(path: $0.folder)?.isDirectory == true }
    let names = found.map { "\($0.program) (\($0.folder))" }
    try terminal.note(
      names.isEmpty
        ? "No agent keeps anything here yet. What one writes will be taken in."
        : "Watching \(names.joined(separator: ", ")). Ctrl-C ends it.")
  }

  func show(_ news: AgentWatch.News, in store: Store) async throws {
    switch news {
    case .behind(let files):
      try terminal.progress(files == 0 ? "" : "\(Words.count(files, "file")) to be looked at")
    case .looked(let files):
      if isJSON { return try line("looked") { $0.fixed("files", files) } }
      try terminal.note("All is in the store that is in \(Words.count(files, "file")).")
    case .took(let path, let report): try await took(path, report, in: store)
    case .skipped(let path, let reason):
      if isJSON {
        return try line("skipped") { writer in
          writer.fixed("path", path)
          writer.fixed("reason", reason)
        }
      }
      let text = Terminal.oneLine("\(path): \(reason)")
      try terminal.note("\(clock)  skipped  \(text)")
    case .waits(let reason):
      if isJSON { return try line("waits") { $0.fixed("reason", reason) } }
      try terminal.note(
        "keepsake: \(reason) Waiting; what agents write meanwhile is taken in later.")
    case .goesOn:
      if isJSON { return try line("goesOn") { _ in } }
      try terminal.note("keepsake: Going on.")
    }
  }

  private func took(_ path: String, _ report: ImportReport, in store: Store) async throws {
    for session in report.sessions where session.new || session.added + session.revised > 0 {
      if isJSON {
        try line("took") { writer in
          writer.fixed("path", path)
          writer.fixed("session", session.id)
          writer.fixed("format", session.format)
          writer.flag("new", session.new)
          writer.fixed("added", session.added)
          writer.fixed("revised", session.revised)
          writer.fixed("entries", session.entries)
        }
        continue
      }
      var news = session.added > 0 ? ["\(Words.entries(session.added)) added"] : []
      if session.revised > 0 { news.append("\(session.revised) revised") }
      if session.new { news.append("new") }
      let preview = try await store.session(session.id).summary().preview
      let head = "\(clock)  \(Words.short(session.id))  \(news.joined(separator: ", "))  "
      let title = Terminal.oneLine(session.title ?? preview ?? "")
      let room = terminal.width.map { max(10, $0 - head.columns) }
      try terminal.line(head + (room.map { title.fitting($0) } ?? title))
    }
  }

  private var clock: String { Words.time(now(), terminal) }

  /// Prints a JSON object on one line; its single member tells its kind.
  private func line(_ name: StaticString, _ write: (inout JSONWriter) -> Void) throws {
    try terminal.json { writer in
      writer.beginObject()
      writer.key(name)
      writer.beginObject()
      write(&writer)
      writer.endObject()
      writer.endObject()
    }
  }
}
