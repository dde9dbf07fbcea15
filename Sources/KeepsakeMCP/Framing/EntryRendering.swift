#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// An entry as text for a model, and the facts for the line before it.
struct EntryRendering: Sendable {
  let position: Int
  /// The words of the line before the entry, such as `entry 12 toolOutput tool=WebFetch 2026-11-02T09:30:00Z`.
  let facts: String
  /// The text, in UTF-8; offsets into an entry count in it.
  let text: [UInt8]

  /// The most bytes of a name in the line before an entry: all of them together leave room in the smallest answer.
  private static let nameBytes = 40

  /// Renders an entry.
  ///
  /// - Parameters:
  ///   - entry: The entry, as it was read from a session.
  ///   - showsReasoning: Whether the text of a reasoning is shown, and not only its size.
  init(_ entry: Entry, showsReasoning: Bool) {
    position = entry.position ?? 0
    var facts = ["entry \(position) \(entry.kind.rawValue)"]
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      let line = VisibleText.line(value, bytes: Self.nameBytes)
      facts.append("\(name)=\(line.replacing(" ", with: "_"))")
    }
    add("tool", entry.tool)
    if entry.kind == .response { add("model", entry.model) }
    add("author", entry.author)
    if entry.status != .complete { facts.append(entry.status.rawValue) }
    if let created = entry.created { facts.append(created.text) }
    self.facts = facts.joined(separator: " ")
    let isHidden = entry.kind == .reasoning && !showsReasoning
    text = Array((isHidden ? Self.hidden(entry) : Self.text(of: entry)).utf8)
  }

  private static func hidden(_ entry: Entry) -> String {
    "(reasoning, \(entry.text.utf8.count) bytes; reasoning=true shows it)"
  }

  private static func text(of entry: Entry) -> String {
    if entry.isErased { return "(erased)" }
    var lines: [String] = []
    for call in entry.toolCalls {
      lines.append("call \(VisibleText.line(call.tool)) \(VisibleText.block(call.arguments))")
    }
    let standing = entry.attachmentsBySegment
    var shown: Set<Int64> = []
    for (index, segment) in entry.segments.enumerated() {
      switch segment.content {
      case .text(let text): lines.append(VisibleText.block(text))
      case .structure(let json, _): lines.append(VisibleText.block(json.text))
      case .opaque(let json, let type):
        lines.append("(\(VisibleText.line(type))) \(VisibleText.block(json.text))")
      case .attachment:
        guard let attachment = standing[index] else { continue }
        shown.insert(attachment.recording)
        lines.append(line(for: attachment))
      }
    }
    for attachment in entry.attachments
    where attachment.direction != .content && !shown.contains(attachment.recording) {
      lines.append(line(for: attachment))
    }
    if let continuation = entry.continuation { lines.append("(the conversation \(continuation))") }
    return lines.joined(separator: "\n")
  }

  /// The line that stands for an attachment: `[image_1: a ripe banana · sha256:ab12… image/png 1024×1024 1.3 MB]`.
  private static func line(for attachment: Entry.Attachment) -> String {
    let caption = attachment.caption ?? attachment.fileName
    let name =
      VisibleText.line(attachment.label) + (caption.map { ": \(VisibleText.line($0))" } ?? "")
    guard let artifact = attachment.artifact else {
      return "[\(name) · \(attachment.state.rawValue)]"
    }
    return "[\(name) · \(artifact.facts)]"
  }
}

extension Artifact {
  /// The beginning of the digest, the type that the bytes show, and the sizes, on one line.
  var facts: String {
    let facts = [
      "sha256:\(id.hex.prefix(12))…", sniffedType.essence, pixelSize?.description,
      ByteSize.text(size),
    ]
    return facts.compactMap { $0 }.joined(separator: " ")
  }
}
