import KeepsakeFiles
import Keepsake

/// The texts that a rescue writes in place of removed content.
enum RescueText {
  /// A text as a JSON string.
  static func json(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string(text)
    return writer.bytes
  }

  /// A text as a block of a message.
  static func block(_ text: String, type: String = "text") -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("type", type)
    writer.fixed("text", text)
    writer.endObject()
    return writer.bytes
  }

  /// A label such as `[image_3: 2560×9000 PNG, 6.1 MB, kept as sha256:ab12…]`.
  static func label(_ media: SentMedia, number: Int, isKept: Bool) -> String {
    var text = "\(media.isImage ? "image" : "document")_\(number): \(media.description)"
    if let digest = media.digest { text += ", \(isKept ? "kept as " : "")sha256:\(digest.hex)" }
    return "[\(text)]"
  }

  static let empty = "[empty]"
  static let unanswered = "[No result was recorded. The call may have been interrupted.]"

  /// The number of Unicode scalars that a cut text keeps at each end.
  private static let kept = 4096

  /// A long text without its middle.
  static func cut(_ text: String, line: Int) -> String {
    let scalars = text.unicodeScalars
    let head = String(String.UnicodeScalarView(scalars.prefix(kept)))
    let tail = String(String.UnicodeScalarView(scalars.suffix(kept)))
    let left = text.utf8.count - head.utf8.count - tail.utf8.count
    return
      "\(head)\n[… \(ByteCount.text(Int64(left))) left out here; they stand in line \(line) of the conversation that this one was made from …]\n\(tail)"
  }

  /// A text that describes a block that can't stay.
  static func of(_ block: SentBlock, in line: [UInt8]) -> String {
    let id = block.id.map { " \($0)" } ?? ""
    switch block.kind {
    case .call, .serverCall:
      let input = JSONObject(block.range, in: line)?.json("input")?.text ?? "{}"
      return "[A call of \(block.tool ?? "a tool")\(id) that has no result: \(input)]"
    default:
      return
        "[The result of a call\(id) that is not in this conversation:]\n\(said(by: block, in: line))"
    }
  }

  /// The content of a result as text, in which images are described.
  private static func said(by block: SentBlock, in line: [UInt8]) -> String {
    guard let content = block.content else {
      return JSONText.value(block.range, in: line)?.text ?? ""
    }
    if let text = JSONText.string(content, in: line) { return text }
    if block.isMisshapen { return JSONText.value(content, in: line)?.text ?? "" }
    return block.parts.map { part in
      if let media = part.media {
        return "[\(media.description)\(media.digest.map { ", sha256:\($0.hex)" } ?? "")]"
      }
      return part.content.flatMap { JSONText.string($0, in: line) }
        ?? JSONText.value(part.range, in: line)?.text ?? ""
    }.joined(separator: "\n")
  }
}
