#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a session as a document: facts, then a heading for each prompt and response, with tools folded between
/// them.
///
/// The Markdown of people and models keeps its form but cannot break out of its place (see ``MarkdownText``). The
/// arguments and outputs of tools are written as code, unchanged. No more than one page of entries is held in memory.
struct MarkdownWriter {
  private static let page = 64

  private let session: Session
  let artifacts: ExportOptions.Artifacts
  let output: ExportOutput
  let marks: InlineMarks
  private var rewriter: ReferenceRewriter
  /// The attachments that belong to no entry.
  private let unbound: [Entry.Attachment]
  var losses = Losses()

  init(_ session: Session, _ artifacts: ExportOptions.Artifacts, _ output: ExportOutput)
    async throws
  {
    self.session = session
    self.artifacts = artifacts
    self.output = output
    let index = try await session.mentionIndex()
    let marks = InlineMarks(index.attachments)
    self.marks = marks
    unbound = index.attachments.filter { $0.position == nil && $0.direction != .content }
    rewriter = ReferenceRewriter(index, replacesImages: artifacts == .none) { attachment in
      guard let artifact = attachment.artifact, let name = CopyName(attachment)?.text else {
        return nil
      }
      return switch artifacts {
      case .files: try await output.place?(artifact, name)
      case .inline: marks.mark(of: attachment)
      case .none: attachment.placeholder
      }
    }
  }

  mutating func write() async throws -> Losses {
    let summary = try await session.summary()
    let title = summary.title ?? summary.preview ?? "A session without a title"
    try put(
      "# \(Markdown.line(title))\n\n\(MarkdownFacts.table(summary, hasTimes: try await session.hasTimes()))"
    )
    var next = 0
    while true {
      let entries = try await session.entries(after: next - 1, count: Self.page)
      if entries.isEmpty { break }
      next += entries.count
      for entry in entries { try await write(entry) }
    }
    if !unbound.isEmpty {
      try put("\n## Attachments of no entry\n")
      for attachment in unbound { try await figure(attachment) }
    }
    return losses
  }

  /// Appends text to the document.
  func put(_ text: String) throws { try output.take(Array(text.utf8)) }
}

// MARK: - Entries

extension MarkdownWriter {
  private mutating func write(_ entry: Entry) async throws {
    losses.add(.details, MarkdownFacts.omitted(entry))
    let isCode = entry.kind == .toolCalls || entry.kind == .toolOutput
    let shown = isCode ? entry : try await rewriter.rewrite(entry).entry
    let standing = entry.attachmentsBySegment
    switch entry.kind {
    case .prompt, .response:
      let name = entry.kind == .prompt ? "Prompt" : "Response"
      try put("\n## \(Markdown.line(MarkdownFacts.head(entry, name)))\n")
      try await contents(entry, shown, standing)
    case .instructions:
      try await fold("Instructions", entry) { writer in
        try await writer.contents(entry, shown, standing)
        if let tools = entry.toolDefinitions { try writer.json(tools) }
      }
    case .reasoning:
      try await fold("Reasoning", entry) { writer in
        try await writer.contents(entry, shown, standing)
      }
    case .event:
      try await fold("Event", entry) { writer in
        try await writer.contents(entry, shown, standing)
      }
    case .toolCalls: try await calls(entry)
    case .toolOutput:
      let name = entry.tool.map { "Tool output · \($0)" } ?? "Tool output"
      try await fold(name, entry) { writer in
        for segment in entry.segments { try writer.code(segment) }
      }
      for index in entry.segments.indices {
        if let attachment = standing[index] { try await figure(attachment) }
      }
    case .unknown:
      try await fold("An entry that is not understood", entry) { writer in
        try await writer.contents(entry, entry, standing)
      }
    }
    let placed = Set(standing.values.map(\.recording))
    for attachment in entry.attachments
    where attachment.direction != .content && !placed.contains(attachment.recording) {
      try await figure(attachment)
    }
  }

  private mutating func calls(_ entry: Entry) async throws {
    for call in entry.toolCalls {
      try await fold("Tool call · \(call.tool)", entry) { writer in
        if let json = try? JSON(validating: call.arguments) {
          try writer.json(json)
        } else if !call.arguments.isEmpty {
          try writer.put("\n" + Markdown.fenced(call.arguments))
        }
      }
    }
    if entry.isErased { try await fold("Tool calls", entry) { _ in } }
  }

  /// Writes a block that a reader shows only on request.
  private mutating func fold(
    _ name: String, _ entry: Entry, _ body: (inout MarkdownWriter) async throws -> Void
  ) async throws {
    let head = Markdown.html(MarkdownFacts.head(entry, name))
    try put("\n<details>\n<summary>\(head)</summary>\n")
    if entry.isErased { try put("\n*Its content was erased.*\n") } else { try await body(&self) }
    try put("\n</details>\n")
  }

  /// Writes the contents of an entry, segment by segment.
  /// - Parameters:
  ///   - entry: The entry as it is stored, from which code is written unchanged.
  ///   - shown: The entry with references in its texts replaced by the exported files.
  ///   - standing: The attachments of the entry's segments, by the segment's index.
  private mutating func contents(
    _ entry: Entry, _ shown: Entry, _ standing: [Int: Entry.Attachment]
  ) async throws {
    if entry.isErased { return try put("\n*Its content was erased.*\n") }
    var isAfterProse = false
    for (index, segment) in shown.segments.enumerated() {
      defer { isAfterProse = segment.text != nil }
      switch segment.content {
      case .text(let text):
        // An empty comment keeps a list at the end of the previous text from continuing in this one.
        if isAfterProse { try put("\n<!-- -->\n") }
        try await prose(text)
      case .attachment:
        if let attachment = standing[index] { try await figure(attachment) }
      case .structure, .opaque: try code(entry.segments[index])
      }
    }
  }

  private func prose(_ text: String) async throws {
    var safe = MarkdownText()
    safe.add(text)
    let lines = safe.finish()
    if lines.isEmpty { return }
    try put("\n")
    try await marks.write(lines, putting: { try put($0) }, bytes: output.take)
    try put("\n")
  }

  private func code(_ segment: Entry.Segment) throws {
    switch segment.content {
    case .text(let text):
      let start = text.utf8.first { $0 > 0x20 }
      let isJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
      if isJSON, let json = try? JSON(validating: text) { return try self.json(json) }
      if !text.isEmpty { try put("\n" + Markdown.fenced(text)) }
    case .structure(let json, let schema):
      if let schema { try put("\n\(Markdown.code(schema))\n") }
      try self.json(json)
    case .opaque(let json, let type):
      try put("\n\(Markdown.code(type)), which is not understood here:\n")
      try self.json(json)
    case .attachment: break
    }
  }

  private func json(_ json: JSON) throws {
    try put("\n" + Markdown.fenced(JSONLayout.text(json), language: "json"))
  }
}

// MARK: - Attachments

extension MarkdownWriter {
  /// Writes an attachment as a paragraph of its own: an image, a link, or a placeholder.
  private mutating func figure(_ attachment: Entry.Attachment) async throws {
    let name = Markdown.line(
      attachment.caption ?? attachment.fileName ?? attachment.declaredLabel ?? attachment.label)
    guard let artifact = attachment.artifact, let file = CopyName(attachment)?.text else {
      let reference = attachment.reference.map { ", \(Markdown.code($0))" } ?? ""
      let words = Markdown.line(attachment.placeholder)
      return try put("\n\(words) (\(attachment.state.rawValue)\(reference))\n")
    }
    let type = attachment.mediaType ?? artifact.sniffedType
    let facts = type.isImage ? "" : " (\(Markdown.line(type.essence)), \(artifact.size) bytes)"
    let state = attachment.state == .present ? "" : " (\(attachment.state.rawValue))"
    let mark = type.isImage ? "!" : ""
    switch artifacts {
    case .files:
      guard let place = output.place else {
        preconditionFailure("Artifacts as files were asked for, and there is no place for them.")
      }
      try put("\n\(mark)[\(name)](\(try await place(artifact, file)))\(facts)\(state)\n")
    case .inline:
      try put("\n\(mark)[\(name)](")
      try await InlineMarks.write(attachment, artifact, output.take)
      try put(")\(facts)\(state)\n")
    case .none:
      losses.add(.attachments)
      try put("\n\(Markdown.line(attachment.placeholder))\(facts)\(state)\n")
    }
  }
}
