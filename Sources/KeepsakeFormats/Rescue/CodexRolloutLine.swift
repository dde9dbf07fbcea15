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
  /// Tells whether the line is a header of a Codex session with all members that Codex requires.
  let isHeader: Bool
  /// Tells whether the line is a header which says that the session's lines are numbered.
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
