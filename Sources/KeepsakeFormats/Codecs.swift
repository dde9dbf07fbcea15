import Keepsake

/// All codecs. To add a format, add a folder for its codec and a line to `formats`.
enum Codecs {
  /// The codecs in the order in which a file is compared with them.
  ///
  /// Formats with the clearer signs stand first, and a container stands before the wire format inside of it.
  static let formats: [any Codec.Type] = [
    TranscriptCodec.self, BundleCodec.self, LLMCodec.self, OpenAIAgentsCodec.self,
    ADKDatabaseCodec.self, ADKCodec.self, AppleCodec.self,
    AnyLanguageModelCodec.self,
    ClaudeCodeCodec.self, CodexCodec.self, GeminiCLICodec.self, ChatGPTCodec.self,
    ClaudeAICodec.self,
    AIStudioCodec.self, AISDKCodec.self, LangChainCodec.self, GeminiInteractionsCodec.self,
    GeminiCodec.self, OpenAIResponsesCodec.self, MCPCodec.self, AnthropicCodec.self,
    OpenAIChatCodec.self, MarkdownCodec.self, HTMLCodec.self,
    ATIFCodec.self, OTelCodec.self, PROVCodec.self, ROCrateCodec.self,
  ]

  /// The codec of a file with this beginning; nil where it shows the sign of no known format.
  static func format(of head: FileHead) -> (any Codec.Type)? {
    // A tar archive that is no bundle is refused, because the lines of the files in it would pass for the lines of
    // one file.
    if head.isTar { return BundleCodec.recognises(head) ? BundleCodec.self : nil }
    return formats.first { $0.recognises(head) }
  }

  /// The record identity of a foreign format; nil where no foreign format has the name.
  @Sendable
  static func identity(of format: String) -> RecordIdentity? {
    let codec = formats.first { $0.format.name == format } as? any ForeignCodec.Type
    return codec?.identity
  }

  /// The codec of a format with this name.
  /// - Throws: ``FormatError`` where no format has the name.
  static func named(_ name: String) throws -> any Codec.Type {
    if let codec = formats.first(where: {
      $0.format.name == name || $0.format.otherNames.contains(name)
    }) {
      return codec
    }
    let names = formats.flatMap { [$0.format.name] + $0.format.otherNames }.joined(separator: ", ")
    throw FormatError(
      .unknownFormat, "There is no format '\(name)'. The formats are: \(names).")
  }

  /// The codec of a file, found by the file's content.
  /// - Throws: ``FormatError`` where the file can't be read, or is of no known format.
  static func recognised(_ file: ForeignFile) throws -> any Codec.Type {
    let head = try FileHead(file)
    if let codec = format(of: head) { return codec }
    let reason =
      if file.size == 0 {
        "it is empty"
      } else if head.isEmpty {
        "there is nothing but blanks or zero bytes in it"
      } else if head.isTar {
        "it is a tar archive; unpack it, and import what is in it"
      } else if head.bytes.starts(with: [0xFF, 0xFE]) || head.bytes.starts(with: [0xFE, 0xFF]) {
        "it is UTF-16; convert it to UTF-8"
      } else {
        "its content is of no format that is known here. If you know which it is, name the format"
      }
    throw FormatError(.unrecognised, "Can't import '\(file.name)': \(reason).", file: file.name)
  }
}
