import Keepsake

/// Reads and writes the sessions of Claude Code: one file of JSON Lines each, below `~/.claude/projects`.
enum ClaudeCodeCodec: AgentCodec {
  static let name = "claude-code"

  static let format = Format(
    name: name, title: "Claude Code session", fileExtensions: ["jsonl"], canRead: true,
    canWrite: true,
    artifacts: [.inline, .none], resumes: true, givesBack: true,
    sign: "lines with sessionId, uuid, type and message",
    leavesOut: handOverLosses)

  static func recognises(_ head: FileHead) -> Bool {
    head.lines.contains { line in
      line.has("/sessionId", "/uuid", "/type") && line.has("/message")
        || line.text(at: "/type") == "summary" && line.has("/leafUuid")
    }
  }

  static let identity = RecordIdentity.json()
  static let namesSession = true
  static let handOverLimits = HandOverLimits()

  static func writer(_ head: HandOverHead) -> ClaudeCodeWriter { ClaudeCodeWriter(head) }

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    LinesReading(file, ClaudeCodeDecoder())
  }

  static func read(_ file: ForeignFile, from bookmark: SourceBookmark) throws
    -> (any SourceReading)?
  {
    LinesReading<ClaudeCodeDecoder>(file, from: bookmark)
  }
}
