extension Entry {
  /// An estimate of the tokens that a model counts for the entry.
  ///
  /// The estimate is a quarter of the UTF-8 bytes, plus 4 tokens for the entry and for each tool call, plus 1,400 tokens for
  /// each image. English text has about four bytes for a token with current tokenizers, and larger scripts have no more. Chat
  /// formats put 3 to 5 tokens around a message. Of the services that document the cost of an image of 1024×1024, the dearest
  /// counts 1,398 tokens. A counter of the model itself is always better.
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
