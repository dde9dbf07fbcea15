#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A conversation as text for people, with a line for each attachment.
struct TextEntryPage: EntryPage {
  let terminal: Terminal
  /// Whether tool calls, outputs and reasoning are shown in full.
  var showsAll = false
  /// Whether text is shown as it was written, without formatting its Markdown.
  var isRaw = false
  /// Shows images; nil if the terminal can't.
  var images: InlineImages?

  static let margin = "      "

  func begin(_ session: Session.Summary) throws {
    let title = session.title ?? session.preview ?? "A session without a title"
    for line in Terminal.oneLine(title).folded(to: terminal.width) {
      try terminal.line(terminal.styled(line, .heading))
    }
    let facts =
      [
        session.id.text, session.origin, session.model,
        Words.entries(session.entries),
        session.attachments == 0 ? nil : Words.count(session.attachments, "attachment"),
        Words.time(session.updated, terminal),
      ].compactMap { $0 } + session.tags.map(\.markedAsTag)
    for line in Terminal.oneLine(facts.joined(separator: " · ")).folded(to: terminal.width) {
      try terminal.line(terminal.styled(line, .faint))
    }
    if let parent = session.forkOf {
      try terminal.line(
        terminal.styled(
          "a fork of \(parent.text)\(session.forkPosition.map { ", from \($0)" } ?? "")",
          .faint))
    }
  }

  func entry(_ entry: Entry, isFirst: Bool) async throws {
    try text(entry)
    for attachment in entry.attachments where attachment.direction != .content {
      try await card(attachment)
    }
  }

  /// Prints an entry without its attachments.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - mark: A further remark about the entry's state.
  func text(_ entry: Entry, mark: String? = nil) throws {
    try terminal.line()
    switch entry.kind {
    case .toolCalls:
      for (index, call) in entry.toolCalls.enumerated() {
        try tool("→ \(call.tool)", call.arguments, index == 0 ? entry.position : nil)
      }
      try state(entry, mark)
      try body(Self.content(of: entry), style: nil)
    case .toolOutput:
      try tool("← \(entry.tool ?? "tool")", Self.content(of: entry), entry.position)
      try state(entry, mark)
    case .reasoning where !showsAll:
      try tool("· reasoning", Self.content(of: entry), entry.position)
      try state(entry, mark)
    default:
      try head(entry)
      try state(entry, mark)
      try said(entry)
    }
  }

  func end() throws {}

  // MARK: - Parts

  /// Returns the text of an entry, with structures and opaque content as JSON, and without attachments.
  private static func content(of entry: Entry) -> String {
    if entry.isErased { return "(erased)" }
    let parts = entry.segments.compactMap { segment -> String? in
      switch segment.content {
      case .text(let text): text
      case .structure(let json, _): json.text
      case .opaque(let json, let type): "(\(type)) \(json.text)"
      case .attachment: nil
      }
    }
    // A single part is not copied, because it may be large.
    return parts.count == 1 ? parts[0] : parts.joined(separator: "\n")
  }

  private func margin(_ position: Int?) -> String {
    let text = position.map(String.init) ?? ""
    return terminal.styled(text.padded(to: Self.margin.count - 2, right: true), .faint) + "  "
  }

  /// Prints the kind of an entry, its author if known, and its time.
  private func head(_ entry: Entry) throws {
    let style: Terminal.Style = entry.kind == .prompt ? .good : .strong
    let name = entry.author ?? (entry.kind == .response ? entry.model : nil)
    try terminal.line(
      margin(entry.position) + terminal.styled(entry.kind.name, style)
        + (name.map { "  \(Terminal.oneLine($0))" } ?? "")
        + terminal.styled(
          "  \(entry.created.map { Words.time($0, terminal) } ?? "time unknown")", .faint))
  }

  /// Prints the unusual properties of an entry.
  private func state(_ entry: Entry, _ mark: String?) throws {
    var facts = mark.map { [$0] } ?? []
    if let continuation = entry.continuation { facts.append(continuation) }
    if entry.status != .complete { facts.append(entry.status.rawValue) }
    if entry.visibility != .everyone {
      facts.append("seen by the \(entry.visibility.rawValue) alone")
    }
    if let lane = entry.lane { facts.append("lane \(lane)") }
    facts += entry.tags.map(\.markedAsTag)
    guard !facts.isEmpty else { return }
    try terminal.line(
      Self.margin + terminal.styled(Terminal.oneLine(facts.joined(separator: ", ")), .faint))
  }

  /// The length above which text is not formatted, because formatting takes many times its memory.
  private static let shapedLimit = 1 << 20

  private func said(_ entry: Entry) throws {
    let style: Terminal.Style? = entry.kind == .prompt || entry.kind == .response ? nil : .faint
    let isText = entry.segments.allSatisfy { $0.text != nil || $0.isAttachment }
    let content = Self.content(of: entry)
    guard style == nil, isText, !isRaw, !entry.isErased, terminal.isStyled,
      content.utf8.count <= Self.shapedLimit
    else { return try body(content, style: style) }
    let room = terminal.width.map { $0 - Self.margin.count }
    let text = content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(Self.printable).joined(separator: "\n")
    for line in Markdown(text).lines(fitting: room, terminal) {
      try terminal.line(line.isEmpty ? "" : Self.margin + line)
    }
  }

  private func body(_ text: String, style: Terminal.Style?) throws {
    guard !text.isEmpty else { return }
    let room = terminal.width.map { $0 - Self.margin.count }
    for piece in LinePieces(text) {
      let lines = Self.printable(piece.text).folded(to: room)
      for (index, line) in lines.enumerated() {
        // Without a width, a long line that is printed in pieces must not be broken.
        let isBegun = index == 0 && !piece.beginsLine && room == nil
        let isEnded = index + 1 < lines.count || piece.endsLine || room != nil
        let margin = isBegun || line.isEmpty ? "" : Self.margin
        let text = margin + (style.map { terminal.styled(line, $0) } ?? line)
        try terminal.output(Array((isEnded ? text + "\n" : text).utf8))
      }
    }
  }

  /// Returns a line with visible control characters, and with blanks for tabs.
  private static func printable(_ line: Substring) -> String {
    Terminal.printable(line.replacing("\t", with: "    "))
  }

  /// Prints a tool call or an output, on one line or in full.
  private func tool(_ name: String, _ content: String, _ position: Int?) throws {
    let name = Terminal.oneLine(name)
    let head = margin(position) + terminal.styled(name, .code)
    if showsAll {
      try terminal.line(head)
      return try body(content, style: nil)
    }
    // A line never shows more of the content than that.
    let line = Terminal.oneLine(content.prefix(1 << 16))
    let room = terminal.width.map { $0 - Self.margin.count - name.columns - 1 } ?? 200
    try terminal.line(line.isEmpty ? head : "\(head) \(line.fitting(max(12, room)))")
  }

  /// Prints a line for an attachment, and the image if the terminal shows images.
  func card(_ attachment: Entry.Attachment) async throws {
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
    guard let images, let artifact, attachment.state == .present else { return }
    do {
      guard let image = try await images.text(artifact) else { return }
      try terminal.line(Self.margin + image)
    } catch let error as KeepsakeError {
      // An unreadable image must not prevent reading the conversation.
      for line in Terminal.oneLine(error.message).folded(to: terminal.width.map { $0 - 6 }) {
        try terminal.line(Self.margin + terminal.styled(line, .bad))
      }
    }
  }
}

extension Entry.Segment {
  fileprivate var isAttachment: Bool {
    if case .attachment = content { true } else { false }
  }
}
