import Foundation

@testable import Keepsake
@testable import KeepsakeFormats

/// Lines of a rollout as Codex writes them, with a second between one and the next.
struct Rollout {
  private(set) var lines: [String] = []

  init() {}

  /// Begins as a session does.
  init(id: String) {
    add(
      "session_meta",
      #"{"id":"\#(id)","timestamp":"2026-07-21T22:00:00.000Z","cwd":"/home/alice/work","originator":"codex-tui","cli_version":"0.144.4","model_provider":"openai","base_instructions":{"text":"You are Codex."}}"#
    )
    add("turn_context", #"{"cwd":"/home/alice/work","model":"gpt-5.2-codex"}"#)
  }

  mutating func add(_ type: String, _ payload: String) {
    let second = lines.count < 10 ? "0\(lines.count)" : "\(lines.count)"
    lines.append(
      #"{"timestamp":"2026-07-21T22:26:\#(second).250Z","type":"\#(type)","payload":\#(payload)}"#)
  }

  mutating func item(_ payload: String) { add("response_item", payload) }

  mutating func event(_ payload: String) { add("event_msg", payload) }

  mutating func message(_ role: String, _ text: String, _ more: String = "") {
    let type = role == "assistant" ? "output_text" : "input_text"
    item(
      #"{"type":"message","role":"\#(role)","content":[{"type":"\#(type)","text":"\#(text)"}]\#(more)}"#
    )
  }

  /// What was used so far, and by the last answer.
  mutating func tokens(_ total: [Int], last: [Int]) {
    func counts(_ counts: [Int]) -> String {
      #"{"input_tokens":\#(counts[0]),"cached_input_tokens":\#(counts[1]),"output_tokens":\#(counts[2]),"reasoning_output_tokens":\#(counts[3]),"total_tokens":\#(counts[0] + counts[2])}"#
    }
    event(
      #"{"type":"token_count","info":{"total_token_usage":\#(counts(total)),"last_token_usage":\#(counts(last)),"model_context_window":258400},"rate_limits":null}"#
    )
  }

  mutating func raw(_ line: String) { lines.append(line) }

  var text: String { lines.map { $0 + "\n" }.joined() }

  var bytes: [UInt8] { Array(text.utf8) }

  /// What all of it says of its session.
  var facts: SourceFacts {
    get throws {
      var reading = try CodexCodec.read(ForeignFile(bytes, name: "rollout.jsonl"))
      while try reading.next() != nil {}
      return reading.facts
    }
  }

  /// An image of its own for each number, too large to be kept twice.
  static func image(_ number: Int) -> Data {
    RichSession.png + Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* number &+ $0 >> 3) })
  }

  static func base64(_ number: Int) -> String { image(number).base64EncodedString() }
}

extension Session {
  /// The bytes of the newest rollout that it came from.
  func replayedRollout() throws -> [UInt8]? {
    guard let sheet = try sourceSheet(format: "codex") else { return nil }
    var bytes: [UInt8] = []
    for piece in sheet.pieces { try sheet.replay(piece) { bytes += $0 } }
    return bytes
  }
}
