import Keepsake

/// Reads and writes the rollouts in which Codex CLI records its sessions: each line is an item, an event or a
/// setting.
///
/// In rollouts of older versions, items stand on their lines without an envelope, after a header that has no type.
enum CodexCodec: AgentCodec {
  static let name = "codex"

  static let format = Format(
    name: name, title: "Codex rollout", fileExtensions: ["jsonl"], canRead: true, canWrite: true,
    artifacts: [.inline, .none], resumes: true, givesBack: true,
    sign: "lines of a type such as session_meta or response_item, with a payload",
    leavesOut: handOverLosses)

  static func recognises(_ head: FileHead) -> Bool {
    head.lines.contains { line in
      line.text(at: "/type").map(records.contains) ?? false
        && line.kind(at: "/payload") == .object
    } || hasBareItems(head)
  }

  private static let records: Set<String> = [
    "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
  ]

  private static func hasBareItems(_ head: FileHead) -> Bool {
    guard let header = head.lines.first, header.has("/id", "/timestamp"), !header.has("/type"),
      header.has("/instructions") || header.has("/git")
    else { return false }
    return head.lines.dropFirst().contains { line in
      line.text(at: "/record_type") == "state"
        || line.text(at: "/type").map(bareItems.contains) ?? false
    }
  }

  private static let bareItems: Set<String> = [
    "message", "reasoning", "function_call", "function_call_output", "local_shell_call",
    "custom_tool_call", "custom_tool_call_output", "web_search_call",
  ]

  static let identity = RecordIdentity.json()

  static var namesSession: Bool { true }

  static let handOverLimits = HandOverLimits()

  static func writer(_ head: HandOverHead) -> CodexWriter { CodexWriter(head) }

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    LinesReading(file, CodexDecoder())
  }

  static func read(_ file: ForeignFile, from bookmark: SourceBookmark) throws
    -> (any SourceReading)?
  {
    LinesReading<CodexDecoder>(file, from: bookmark)
  }
}
