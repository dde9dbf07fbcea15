import Keepsake

/// Reads and writes the sessions of Gemini CLI, below `~/.gemini/tmp`: JSON Lines, or one JSON document in older
/// versions.
enum GeminiCLICodec: AgentCodec {
  static let name = "gemini-cli"

  static let format = Format(
    name: name, title: "Gemini CLI session", fileExtensions: ["jsonl", "json"], canRead: true,
    canWrite: true,
    artifacts: [.inline, .none], resumes: true, givesBack: true,
    sign: "sessionId and projectHash",
    leavesOut: handOverLosses)

  static func recognises(_ head: FileHead) -> Bool {
    head.lines.contains { $0.has("/sessionId", "/projectHash") }
      || head.document.has("/sessionId", "/projectHash")
  }

  static let identity = RecordIdentity.json()
  static let namesSession = true
  static let handOverLimits = HandOverLimits()

  static func writer(_ head: HandOverHead) -> GeminiCLIWriter { GeminiCLIWriter(head) }

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let head = try FileHead(file)
    // A document's first line can look like a record of JSON Lines, so the document's own sign is tried first.
    if head.document.kind(at: "/messages") == .array {
      return DocumentReading(file, arrayAt: [["messages"]], GeminiCLIDecoder())
    }
    return LinesReading(file, GeminiCLIDecoder())
  }

  static func read(_ file: ForeignFile, from bookmark: SourceBookmark) throws
    -> (any SourceReading)?
  {
    LinesReading<GeminiCLIDecoder>(file, from: bookmark)
  }
}
