extension Entry {
  /// About how many tokens a model takes it for: a quarter of its bytes of UTF-8, 4 for the entry and each of its
  /// tool calls, 1,400 for an image that it is given.
  ///
  /// Four bytes a token is what English text comes to with the tokenizers in use, and too many for none of the larger
  /// scripts; chat formats put 3 to 5 tokens around a message; of the services that say what an image of 1024×1024
  /// costs, the dearest asks for 1,398. A counter of the model itself is always better.
  public var estimatedTokens: Int {
    var bytes = 0
    var tokens = 4 * (1 + toolCalls.count)
    let standing = attachmentsBySegment
    for (index, segment) in segments.enumerated() {
      switch segment.content {
      case .text(let text): bytes += text.utf8.count
      case .structure(let json, let schema): bytes += json.bytes.count + (schema?.utf8.count ?? 0)
      case .opaque(let json, _): bytes += json.bytes.count
      case .attachment: if standing[index]?.isImage == true { tokens += 1_400 }
      }
    }
    for call in toolCalls { bytes += call.tool.utf8.count + call.arguments.utf8.count }
    bytes += tool?.utf8.count ?? 0
    if rare != nil {
      bytes += toolDefinitions?.bytes.count ?? 0
      bytes += responseFormat?.bytes.count ?? 0
    }
    return tokens + (bytes + 3) / 4
  }
}

extension Entry.Attachment {
  var isImage: Bool { (mediaType ?? artifact?.sniffedType)?.isImage ?? false }
}
