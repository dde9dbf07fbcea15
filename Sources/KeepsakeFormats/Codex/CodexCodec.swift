import Keepsake

/// The rollouts of Codex: a file of JSON Lines each, which lies below `~/.codex/sessions`.
enum CodexCodec: ReadOnlyCodec {
  static let name = "codex"

  static let format = Format(
    name: name, title: "Codex rollout", fileExtensions: ["jsonl"], canRead: true,
    artifacts: [.inline])

  static func recognises(_ head: FileHead) -> Bool {
    head.lines.contains { line in
      line.text(at: "/type").map(records.contains) ?? false && line.kind(at: "/payload") == .object
    }
  }

  private static let records: Set<String> = [
    "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
  ]

  static let identity = RecordIdentity.json()
  static let namesSession = true

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    LinesReading(file, CodexDecoder())
  }
}
