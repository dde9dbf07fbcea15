#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes a session as Claude Code keeps it: a line for each of Anthropic's messages, each naming the line before it.
struct ClaudeCodeWriter: HandOverWriter {
  private let head: HandOverHead
  private var messages = AnthropicEncoder(.list, isNew: false)
  private var last: String?
  private var count = 0
  /// The time of the first entry of the message that is being gathered.
  private var begun: Date
  /// The newest model that an entry named.
  private var model: String?

  init(_ head: HandOverHead) {
    self.head = head
    begun = head.begun
  }

  func beginning() -> [OutgoingRecord] { [] }

  mutating func lines(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    let ended = messages.records(with: entry, &losses).map { line($0) }
    if !ended.isEmpty || count == 0 { begun = entry.entry.created ?? begun }
    model = entry.entry.model ?? model
    return ended.flatMap { $0 }
  }

  mutating func rest(_ losses: inout Losses) -> [OutgoingRecord] {
    let ended = messages.rest().flatMap { line($0) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("type", "custom-title")
    writer.fixed("customTitle", head.title ?? "Conversation")
    writer.fixed("sessionId", head.id)
    writer.endObject()
    return ended + [OutgoingRecord(bytes: writer.bytes)]
  }

  private static let answer = Array(#"{"role":"assistant","content":["#.utf8)

  /// Returns the line of a message. Before a first message that is an answer, it adds a prompt that says so.
  private mutating func line(_ message: OutgoingRecord) -> [OutgoingRecord] {
    let isAnswer = message.bytes.starts(with: Self.answer)
    var lines: [OutgoingRecord] = []
    if isAnswer, last == nil {
      let text = "[The conversation begins with an answer.]"
      let message = JSON.object([("role", "user"), ("content", .string(text))])
      lines += line(OutgoingRecord(bytes: message.bytes))
    }
    count += 1
    var writer = JSONWriter()
    let uuid = Self.uuid(count, of: head.id)
    writer.beginObject()
    writer.fixed("parentUuid", last)
    writer.key("isSidechain")
    writer.bool(false)
    writer.fixed("userType", "external")
    writer.fixed("entrypoint", "cli")
    writer.fixed("cwd", head.folder)
    writer.fixed("sessionId", head.id)
    writer.fixed("version", Self.version)
    writer.fixed("gitBranch", "")
    writer.fixed("type", isAnswer ? "assistant" : "user")
    writer.fixed("uuid", uuid)
    writer.fixed("timestamp", begun.agentTime)
    writer.key("message")
    last = uuid
    guard isAnswer else {
      lines.append(message.framed(by: writer.bytes, and: Array("}".utf8)))
      return lines
    }
    writer.beginObject()
    writer.fixed("id", "msg_\(uuid.replacing("-", with: ""))")
    writer.fixed("type", "message")
    writer.fixed("model", model ?? "unknown")
    let calls = message.bytes.contains(Self.call)
    let stop = calls ? "tool_use" : "end_turn"
    let behind =
      #","stop_reason":"\#(stop)","stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}}"#
    lines.append(
      message.framed(
        by: writer.bytes + [UInt8(ascii: ",")], dropping: 1, 1, and: Array(behind.utf8)))
    return lines
  }

  private static let call = Array(#""type":"tool_use""#.utf8)
  /// The version of Claude Code whose lines are imitated.
  private static let version = "2.1.240"

  /// The id of a line, which depends on the session and the line's number only, so that every export gives the same
  /// ids.
  private static func uuid(_ number: Int, of session: String) -> String {
    let digest = SHA256.digest(of: Array("\(session)/\(number)".utf8)).hex
    let parts = [8, 4, 4, 4, 12]
    var rest = digest[...]
    return parts.map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}
