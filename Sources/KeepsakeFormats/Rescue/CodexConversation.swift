import KeepsakeFiles
import Keepsake

/// The facts in a line of a rollout that healing needs.
struct CodexRolloutLine: Sendable {
  let type: String
  /// The range of the line's payload.
  let payload: Range<Int>
  let ordinal: Int?
  let ordinalRange: Range<Int>?
  let timestamp: String?
  /// The folder that the line names.
  let cwd: String?
  let cwdRange: Range<Int>?
  /// The id in a header; nil in other lines.
  let id: String?
  /// The range of each place where a header names its id.
  let idRanges: [Range<Int>]
  let version: String?
  /// Whether the line is a header with all members that Codex requires.
  let isHeader: Bool
  /// Whether the header says that the lines are numbered.
  let isNumbered: Bool
  /// The program's message about a failed request.
  let complaint: String?
  let isAnswer: Bool

  /// Reads a line; nil where the line is no line of a rollout.
  init?(_ bytes: [UInt8]) {
    guard HeldLines.isJSON(bytes), let line = JSONObject(0..<bytes.count, in: bytes),
      let payload = line["payload"], let content = JSONObject(payload, in: bytes)
    else { return nil }
    self.payload = payload
    type = line.string("type") ?? ""
    ordinal = line.json("ordinal")?.intValue.map { Int($0) }
    ordinalRange = line["ordinal"]
    timestamp = line.string("timestamp")
    cwd = content.name("cwd")
    cwdRange = content["cwd"]
    let isMeta = type == "session_meta"
    id = isMeta ? content.name("id") : nil
    let id = id
    idRanges =
      id == nil
      ? [] : ["id", "session_id"].filter { content.string($0) == id }.compactMap { content[$0] }
    version = isMeta ? content.name("cli_version") : nil
    isHeader =
      isMeta && Self.needed.allSatisfy { content.name($0) != nil }
      && content.string("model_provider") != ""
    isNumbered = isMeta && content.string("history_mode") == "paginated"
    let event = type == "event_msg" ? content.string("type") : nil
    complaint = event == "error" ? content.string("message") : nil
    isAnswer = event == "agent_message" || event == "user_message"
  }

  private static let needed = ["id", "timestamp", "cwd", "originator", "cli_version"]
}

/// A rollout of Codex that is being healed: its lines, and the items that the model is given when the session goes
/// on.
struct CodexConversation {
  private(set) var lines: HeldLines
  private(set) var facts: [CodexRolloutLine?] = []
  private var items: [Int: [CodexItem]] = [:]

  init(_ file: ForeignFile) throws {
    var facts: [CodexRolloutLine?] = []
    lines = try HeldLines(file) { _, bytes in facts.append(CodexRolloutLine(bytes)) }
    self.facts = facts
  }

  func number(_ line: Int) -> Int { line == HeldLines.beginning ? 1 : lines.number(line) }

  /// The items that are sent: those of the last compaction, and all that follow it.
  mutating func sent() throws -> [CodexItem] {
    var sent: [CodexItem] = []
    for line in lines.order {
      guard let fact = facts[line] else { continue }
      if fact.type == "response_item" { sent += try items(of: line, fact) }
      if fact.type == "compacted" {
        let history = try items(of: line, fact)
        // A compaction without a history replaces nothing.
        if !history.isEmpty { sent = history }
      }
    }
    return sent
  }

  private mutating func items(of line: Int, _ fact: CodexRolloutLine) throws -> [CodexItem] {
    if let known = items[line] { return known }
    let bytes = try lines.bytes(line)
    let found: [CodexItem]
    if fact.type == "compacted" {
      let list = JSONObject(fact.payload, in: bytes)?.elements("replacement_history") ?? []
      found = list.enumerated().compactMap { index, item in
        CodexItem(
          item, at: "/payload/replacement_history/\(index)", index: index, of: line, in: bytes)
      }
    } else {
      found = [CodexItem(fact.payload, at: "/payload", index: nil, of: line, in: bytes)]
        .compactMap { $0 }
    }
    items[line] = found
    return found
  }

  /// Applies a round of remedies to the lines.
  mutating func change(_ round: RemedyRound) throws {
    for line in round.gone {
      lines.leaveOut(line)
      items[line] = nil
    }
    for (line, patch) in round.patches where !round.gone.contains(line) {
      let bytes = patch.applied(to: try lines.bytes(line))
      lines.replace(line, with: bytes)
      facts[line] = CodexRolloutLine(bytes)
      items[line] = nil
    }
    for (bytes, _, line) in round.additions {
      lines.insert(bytes, after: line)
      facts.append(CodexRolloutLine(bytes))
    }
  }
}
