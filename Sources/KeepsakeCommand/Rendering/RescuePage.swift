#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The report on the rescue of a conversation.
struct RescuePage {
  /// The healed file that was or would be written.
  struct Written {
    let path: String
    let id: UUID
    /// The command that resumes the healed conversation.
    let resuming: String
    let isDone: Bool
  }

  let report: RescueReport
  /// The name of the source as the person gave it.
  let source: String
  let written: Written?
  /// Whether the person asked for a healed copy.
  let isAsked: Bool

  // MARK: For a person

  func print(_ terminal: Terminal) throws {
    try terminal.facts(facts(terminal))
    try terminal.line()
    if report.findings.isEmpty {
      return try terminal.line(
        isAsked
          ? "Nothing keeps it from going on, as far as a file shows. Nothing was written."
          : "Nothing keeps it from going on, as far as a file shows.")
    }
    for cause in RescueCause.allCases { try printFindings(of: cause, terminal) }
    if let (count, version) = report.healedByItself {
      try fold(
        "\(report.program) \(version) heals \(count == report.findings.count ? "all" : "\(count)") of this by itself, and the session was last written by \(report.version ?? "an older one"): update, and resume it first.",
        terminal)
    }
    if !report.unhealed.isEmpty {
      try fold(
        "\(Words.count(report.unhealed.count, "cause")) can't be healed: what is wrong there is nothing that can be left out.",
        terminal)
    }
    guard let written else {
      if !isAsked {
        try terminal.line(
          "Write a healed copy: keepsake rescue \(Terminal.oneLine(source)) --install")
      }
      return
    }
    let changes = Words.count(report.changes.count, "change")
    try fold(
      "\(written.isDone ? "Wrote" : "Would write") \(written.path), with \(changes).", terminal)
    guard written.isDone else { return }
    let folder = report.folder.map { "In \($0): " } ?? ""
    try fold("\(folder)\(written.resuming)", terminal)
  }

  private func facts(_ terminal: Terminal) -> [(String, String)] {
    var facts = [
      ("session", [report.sessionID, report.title].compactMap { $0 }.joined(separator: "  "))
    ]
    facts.append(
      ("of", ([report.program] + [report.version].compactMap { $0 }).joined(separator: " ")))
    if let folder = report.folder { facts.append(("folder", folder)) }
    facts.append(("sent", Self.extent(report.before)))
    if isAsked, report.after != report.before {
      facts.append(("healed", Self.extent(report.after)))
    }
    if let (line, text) = report.complaint {
      facts.append(("it says", "\(text) (line \(line))"))
    }
    return facts
  }

  private static func extent(_ extent: RescueReport.Extent) -> String {
    "\(extent.sent) of \(Words.count(extent.lines, "line")), \(Words.size(Int64(extent.bytes))), \(Words.count(extent.images, "image"))"
  }

  /// The most details of a cause, and the most lines of a detail, that are listed.
  private static let shown = 8

  private func printFindings(of cause: RescueCause, _ terminal: Terminal) throws {
    let findings = report.findings.filter { $0.cause == cause }
    if findings.isEmpty { return }
    let edits = Set(report.changes.filter { $0.cause == cause }.map(\.edit.rawValue)).sorted()
    let heal = edits.isEmpty ? "can't be healed" : edits.joined(separator: ", ")
    let count = findings.count == 1 ? "" : ", \(findings.count) times"
    try terminal.line(terminal.styled("\(cause.title)\(count)", .strong) + "  " + heal)
    try terminal.line(terminal.styled("  \(cause.rule)", .faint))
    var details: [(detail: String, lines: [Int])] = []
    for finding in findings {
      if let place = details.firstIndex(where: { $0.detail == finding.detail }) {
        details[place].lines.append(finding.line)
      } else if details.count < Self.shown {
        details.append((finding.detail, [finding.line]))
      }
    }
    for (detail, lines) in details { try printDetail(detail, lines, terminal) }
    let told = details.reduce(0) { $0 + $1.lines.count }
    if told < findings.count { try terminal.line("  and \(findings.count - told) more") }
    try terminal.line()
  }

  private func printDetail(_ detail: String, _ lines: [Int], _ terminal: Terminal) throws {
    var head = lines.count == 1 ? "line " : "lines "
    head += lines.prefix(Self.shown).map(String.init).joined(separator: ", ")
    if lines.count > Self.shown { head += " and \(lines.count - Self.shown) more" }
    let text = Terminal.oneLine("\(head): \(detail)").folded(to: terminal.width.map { $0 - 4 })
    try terminal.line("  \(text.joined(separator: "\n    "))")
  }

  private func fold(_ text: String, _ terminal: Terminal) throws {
    try terminal.line(Terminal.oneLine(text).folded(to: terminal.width).joined(separator: "\n"))
  }

  // MARK: For programs

  func printJSON(_ terminal: Terminal) throws {
    try terminal.json { writer in
      writer.beginObject()
      writer.fixed("program", report.program)
      writer.fixed("session", report.sessionID)
      writer.fixed("title", report.title)
      writer.fixed("folder", report.folder)
      writer.fixed("version", report.version)
      write(report.findings, "findings", to: &writer)
      writer.key("changes")
      writer.beginArray()
      for change in report.changes {
        writer.beginObject()
        writer.fixed("edit", change.edit.rawValue)
        writer.fixed("cause", change.cause.rawValue)
        writer.fixed("line", change.line)
        writer.fixed("pointer", change.pointer)
        writer.endObject()
      }
      writer.endArray()
      write(report.unhealed, "unhealed", to: &writer)
      writer.strings("labelled", report.labelled.map(\.hex))
      write(report.before, "before", to: &writer)
      write(report.after, "after", to: &writer)
      writer.key("complaint")
      if let (line, text) = report.complaint {
        writer.beginObject()
        writer.fixed("line", line)
        writer.fixed("text", text)
        writer.endObject()
      } else {
        writer.null()
      }
      writer.fixed("healedSince", report.healedByItself?.version)
      writer.key("written")
      if let written, written.isDone {
        writer.beginObject()
        writer.fixed("path", written.path)
        writer.fixed("session", written.id.text)
        writer.fixed("resume", written.resuming)
        writer.endObject()
      } else {
        writer.null()
      }
      writer.endObject()
    }
  }

  private func write(
    _ findings: [RescueReport.Finding], _ key: StaticString, to writer: inout JSONWriter
  ) {
    writer.key(key)
    writer.beginArray()
    for finding in findings {
      writer.beginObject()
      writer.fixed("cause", finding.cause.rawValue)
      writer.fixed("line", finding.line)
      writer.fixed("rule", finding.cause.rule)
      writer.fixed("detail", finding.detail)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(
    _ extent: RescueReport.Extent, _ key: StaticString, to writer: inout JSONWriter
  ) {
    writer.key(key)
    writer.beginObject()
    writer.fixed("lines", extent.lines)
    writer.fixed("sent", extent.sent)
    writer.fixed("images", extent.images)
    writer.fixed("bytes", extent.bytes)
    writer.endObject()
  }
}
