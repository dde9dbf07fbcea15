#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A conversation as a person reads it: who, what, and a line for what hangs on it.
struct TextEntryPage: EntryPage {
  let terminal: Terminal
  /// Whether tool calls, outputs and reasoning are shown in full.
  let showsAll: Bool

  private static let margin = "      "

  func begin(_ session: Session.Summary) throws {
    let title = session.title ?? session.preview ?? "A session without a title"
    for line in Terminal.oneLine(title).folded(to: terminal.width) {
      try terminal.line(terminal.styled(line, .heading))
    }
    let facts =
      [
        session.id.uuidString.lowercased(), session.origin, session.model,
        Words.entries(session.entries),
        session.attachments == 0 ? nil : Words.count(session.attachments, "attachment"),
        Words.time(session.updated),
      ].compactMap { $0 } + session.tags.map { "#\($0)" }
    for line in Terminal.oneLine(facts.joined(separator: " · ")).folded(to: terminal.width) {
      try terminal.line(terminal.styled(line, .faint))
    }
    if let parent = session.forkOf {
      try terminal.line(
        terminal.styled("a fork of \(parent.uuidString.lowercased())", .faint))
    }
  }

  func entry(_ entry: Entry, isFirst: Bool) throws {
    try terminal.line()
    switch entry.kind {
    case .toolCalls:
      for (index, call) in entry.toolCalls.enumerated() {
        try tool("→ \(call.tool)", call.arguments, index == 0 ? entry.position : nil)
      }
      try state(entry)
      try body(Self.content(of: entry), style: nil)
    case .toolOutput:
      try tool("← \(entry.tool ?? "tool")", Self.content(of: entry), entry.position)
      try state(entry)
    case .reasoning where !showsAll:
      try tool("· reasoning", Self.content(of: entry), entry.position)
      try state(entry)
    default:
      try head(entry, says: Self.name(of: entry))
      try body(
        Self.content(of: entry),
        style: entry.kind == .prompt || entry.kind == .response ? nil : .faint)
    }
    for attachment in entry.attachments where attachment.direction != .content {
      try card(attachment)
    }
  }

  func end() throws {}

  // MARK: - Parts

  private static func name(of entry: Entry) -> String {
    switch entry.kind {
    case .prompt: entry.author ?? "you"
    case .response: entry.author ?? entry.model ?? "model"
    default: entry.kind.rawValue
    }
  }

  /// Its text; what is no text is shown as JSON, and what stands for an attachment by its card.
  private static func content(of entry: Entry) -> String {
    if entry.isErased { return "(erased)" }
    return entry.segments.compactMap { segment -> String? in
      switch segment.content {
      case .text(let text): text
      case .structure(let json, _): json.text
      case .opaque(let json, let type): "(\(type)) \(json.text)"
      case .attachment: nil
      }
    }.joined(separator: "\n")
  }

  private func margin(_ position: Int?) -> String {
    let text = position.map(String.init) ?? ""
    return terminal.styled(text.padded(to: Self.margin.count - 2, right: true), .faint) + "  "
  }

  private func head(_ entry: Entry, says name: String) throws {
    let style: Terminal.Style = entry.kind == .prompt ? .good : .strong
    try terminal.line(
      margin(entry.position) + terminal.styled(Terminal.oneLine(name), style)
        + terminal.styled("  \(Words.time(entry.created))", .faint))
    try state(entry)
  }

  /// What is unusual of an entry.
  private func state(_ entry: Entry) throws {
    var facts: [String] = []
    if entry.status != .complete { facts.append(entry.status.rawValue) }
    if entry.visibility != .everyone {
      facts.append("seen by the \(entry.visibility.rawValue) alone")
    }
    if let lane = entry.lane { facts.append("lane \(lane)") }
    facts += entry.tags.map { "#\($0)" }
    guard !facts.isEmpty else { return }
    try terminal.line(
      Self.margin + terminal.styled(Terminal.oneLine(facts.joined(separator: ", ")), .faint))
  }

  private func body(_ text: String, style: Terminal.Style?) throws {
    guard !text.isEmpty else { return }
    // Windows' line ends are line ends, and no control characters to be shown.
    let plain = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { Terminal.printable($0.map { $0 == "\t" ? "    " : String($0) }.joined()) }
    for line in plain.flatMap({ $0.folded(to: terminal.width.map { $0 - Self.margin.count }) }) {
      try terminal.line(
        line.isEmpty ? "" : Self.margin + (style.map { terminal.styled(line, $0) } ?? line))
    }
  }

  /// A call, or what it gave back: on one line, or in full.
  private func tool(_ name: String, _ content: String, _ position: Int?) throws {
    let name = Terminal.oneLine(name)
    let head = margin(position) + terminal.styled(name, .code)
    if showsAll {
      try terminal.line(head)
      return try body(content, style: nil)
    }
    let line = Terminal.oneLine(content)
    let room = terminal.width.map { $0 - Self.margin.count - name.columns - 1 } ?? 200
    try terminal.line(line.isEmpty ? head : "\(head) \(line.fitting(max(12, room)))")
  }

  private func card(_ attachment: Entry.Attachment) throws {
    let artifact = attachment.artifact
    let type = (attachment.mediaType ?? artifact?.sniffedType)?.description
    let facts = [
      type, artifact?.pixelSize?.description, artifact.map { Words.size($0.size) },
      attachment.state == .present ? nil : attachment.state.rawValue, attachment.caption,
      attachment.fileName,
    ].compactMap { $0 }
    let label = Terminal.oneLine(attachment.label)
    let room = terminal.width.map { max(12, $0 - Self.margin.count - label.columns - 4) }
    let text = Terminal.oneLine(facts.joined(separator: ", "))
    try terminal.line(
      "\(Self.margin)\(terminal.styled("▣ \(label)", .good))  \(room.map { text.fitting($0) } ?? text)"
    )
  }
}
