import Keepsake

/// Reads the messages of Vercel's AI SDK as an app stores them: a list, or a chat object that holds one.
///
/// Messages of version 4, which keep calls and files beside the text instead of in parts, are read as well.
enum AISDKCodec: ReadOnlyCodec {
  static let name = "ai-sdk"

  static let format = Format(
    name: name, title: "list of messages of the AI SDK", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "messages with parts, or with toolInvocations")

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/messages"].contains { list in
      (0..<3).contains { isMessage(head.document, "\(list)/\($0)") }
    }
  }

  private static func isMessage(_ sketch: HeadSketch, _ place: String) -> Bool {
    guard ["system", "user", "assistant"].contains(sketch.text(at: place + "/role")) else {
      return false
    }
    if sketch.kind(at: place + "/toolInvocations") == .array
      || sketch.kind(at: place + "/experimental_attachments") == .array
    {
      return true
    }
    return (0..<3).contains { isPart(sketch, "\(place)/parts/\($0)") }
  }

  /// Says whether a part has the members of the AI SDK. Other programs have parts with the same types but other
  /// members.
  private static func isPart(_ sketch: HeadSketch, _ place: String) -> Bool {
    switch sketch.text(at: place + "/type") {
    case nil: false
    case "text"?: sketch.has(place + "/text")
    case "reasoning"?: sketch.has(place + "/text") || sketch.has(place + "/reasoning")
    case "file"?:
      sketch.has(place + "/mediaType", place + "/url")
        || sketch.has(place + "/mimeType", place + "/data")
    case "step-start"?, "reasoning-file"?, "dynamic-tool"?, "tool-invocation"?, "source-url"?,
      "source-document"?:
      true
    case let type?:
      type.hasPrefix("tool-") && sketch.has(place + "/toolCallId")
        || type.hasPrefix("data-") && sketch.has(place + "/data")
    }
  }

  static let identity = RecordIdentity.json()
  static let namesSession = true

  private static let paths = [[], ["messages"]]

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let envelope = try JSONDocument.envelope(of: file, arrayAt: paths)
    return DocumentReading(file, arrayAt: paths, AISDKDecoder(envelope))
  }
}
