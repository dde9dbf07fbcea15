#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes the outputs of the service's own tools, whose calls hold their outputs.
enum ResponsesOwnTool {
  static let answered: Set<String> = [
    "image_generation_call", "code_interpreter_call", "mcp_call",
  ]

  static func write(
    _ parts: [WirePart], _ type: String, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    switch type {
    case "image_generation_call":
      guard case .attachment(let image)? = parts.first, image.isPresent else {
        return losses.add(.attachments, parts.count)
      }
      losses.add(.attachments, parts.count - 1)
      writer.json.key("result")
      writer.string("", base64: image)
    case "mcp_call":
      let texts = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
      losses.add(.attachments, parts.count - texts.count)
      writer.member("output", texts.joined(separator: "\n"))
    default:
      writer.json.key("outputs")
      writer.json.beginArray()
      for part in parts { write(part, to: &writer, &losses) }
      writer.json.endArray()
    }
  }

  /// Writes what a program that the service ran has printed or drawn.
  private static func write(
    _ part: WirePart, to writer: inout RecordWriter, _ losses: inout Losses
  ) {
    switch part {
    case .raw(let json): return writer.json.raw(json)
    case .rawAttachment(let attachment): return writer.raw(attachment)
    default: break
    }
    writer.json.beginObject()
    switch part {
    case .attachment(let image) where image.isPresent:
      writer.member("type", "image")
      writer.json.key("url")
      writer.string("data:\(image.type.description);base64,", base64: image)
    case .attachment(let image):
      writer.member("type", "image")
      writer.member("url", image.reference)
    case .text(let text):
      writer.member("type", "logs")
      writer.member("logs", text)
    case .raw, .rawAttachment: break
    }
    writer.json.endObject()
  }
}
