import Keepsake

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats the facts about a session and its entries that a document shows beside the contents.
enum MarkdownFacts {
  /// A table of a session's facts.
  static func table(_ session: Session.Summary, hasTimes: Bool) -> String {
    var rows = [("Session", Markdown.code(session.id.text))]
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { rows.append((name, Markdown.line(value))) }
    }
    add("Model", session.model)
    add("Origin", session.origin)
    add(hasTimes ? "Begun" : "Taken in", time(session.created))
    if hasTimes { add("Newest entry", time(session.updated)) }
    add("Entries", "\(session.entries)")
    if session.attachments > 0 { add("Attachments", "\(session.attachments)") }
    add("Tags", session.tags.joined(separator: ", "))
    if let parent = session.forkOf {
      rows.append(("Fork of", Markdown.code(parent.text)))
    }
    let lines = rows.map { "| \($0.0) | \($0.1) |\n" }
    return lines[0] + "|---|---|\n" + lines.dropFirst().joined()
  }

  /// The heading of an entry: its kind, author, model, time, lane and state.
  static func head(_ entry: Entry, _ name: String) -> String {
    var parts = [name]
    if let author = entry.author { parts.append(author) }
    if let model = entry.model { parts.append(model) }
    parts.append(entry.created.map(time) ?? "time unknown")
    if let continuation = entry.continuation { parts.append(continuation) }
    if let lane = entry.lane { parts.append("lane \(lane)") }
    switch entry.visibility {
    case .everyone: break
    case .person: parts.append("for the person alone")
    case .model: parts.append("for the model alone")
    }
    if entry.status != .complete { parts.append(entry.status.rawValue) }
    return (parts + entry.tags.map(\.markedAsTag)).joined(separator: " · ")
  }

  /// The number of facts about an entry that the document leaves out.
  static func omitted(_ entry: Entry) -> Int {
    [
      entry.options, entry.responseFormat, entry.metadata, entry.rawUsage, entry.timing,
      entry.signature.map { .string($0) },
    ].count { $0 != nil }
  }

  /// A time as `2026-11-21 14:53 UTC`.
  static func time(_ date: Date) -> String {
    let text = RFC3339.text(date.microseconds)
    guard let end = text.firstIndex(of: "T") else { return text }
    return "\(text[..<end]) \(text[end...].dropFirst().prefix(5)) UTC"
  }
}
