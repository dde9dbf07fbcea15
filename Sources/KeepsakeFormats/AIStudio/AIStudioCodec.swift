import Keepsake

/// Reads the prompts that Google AI Studio keeps in Google Drive, one JSON document each.
enum AIStudioCodec: ReadOnlyCodec {
  static let name = "ai-studio"

  static let format = Format(
    name: name, title: "Google AI Studio prompt", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "a chunkedPrompt")

  static func recognises(_ head: FileHead) -> Bool {
    head.document.kind(at: "/chunkedPrompt") == .object
  }

  /// The identity of a chunk, without the list of the prompts that were branched off at the chunk later.
  static let identity = RecordIdentity.json(leavingOut: [VolatileMember("branchChildren")])
  static let namesSession = true

  private static let paths = [["chunkedPrompt", "chunks"]]

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let envelope = try JSONDocument.envelope(of: file, arrayAt: paths)
    return DocumentReading(file, arrayAt: paths, AIStudioDecoder(envelope))
  }
}
