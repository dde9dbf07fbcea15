import Keepsake

/// A piece of a step's message, or of the output of a tool.
enum ATIFPart {
  case text(String)
  /// An image or a sound, which a trajectory names by a path and never contains.
  case media(type: String, path: String)

  /// The media type of an attachment as the format spells it; nil for types that it forbids, such as videos and
  /// documents.
  static func mediaType(of attachment: OutgoingAttachment) -> String? {
    var types = [attachment.mediaType?.essence]
    if case .artifact(let artifact) = attachment.content {
      // The type that was sniffed from the bytes is more reliable than the declared one.
      types.insert(artifact.sniffedType.essence, at: 0)
    }
    return types.lazy.compactMap { $0.flatMap(allowed) }.first
  }

  private static func allowed(_ type: String) -> String? {
    let usual = spellings[type] ?? type
    return images.contains(usual) || sounds.contains(usual) ? usual : nil
  }

  private static let images: Set<String> = ["image/jpeg", "image/png", "image/gif", "image/webp"]

  private static let sounds: Set<String> = [
    "audio/wav", "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/flac", "audio/webm",
    "audio/aiff",
  ]

  private static let spellings = [
    "image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/mpga": "audio/mpeg",
    "audio/x-mpeg": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav", "audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4",
    "audio/x-aac": "audio/aac", "audio/x-flac": "audio/flac", "audio/x-aiff": "audio/aiff",
  ]
}

extension RecordWriter {
  /// Writes a content: a string where that is enough, else a list of parts.
  mutating func content(_ parts: [ATIFPart]) {
    if parts.isEmpty { return json.string("") }
    if parts.count == 1, case .text(let text) = parts[0] { return json.string(text) }
    json.beginArray()
    for part in parts {
      json.beginObject()
      switch part {
      case .text(let text):
        member("type", "text")
        member("text", text)
      case .media(let type, let path):
        member("type", type.hasPrefix("image/") ? "image" : "audio")
        member("source", ["media_type": .string(type), "path": .string(path)])
      }
      json.endObject()
    }
    json.endArray()
  }
}
