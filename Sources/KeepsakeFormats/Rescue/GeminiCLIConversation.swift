import KeepsakeFiles
import Keepsake

/// A session of Gemini CLI that is being healed: its lines, and the messages that are left in the end.
struct GeminiCLIConversation {
  /// The kind of a line.
  enum Line: Sendable {
    case header(session: String, id: Range<Int>)
    case record
  }

  private(set) var lines: HeldLines
  private(set) var facts: [Line?] = []

  init(_ file: ForeignFile) throws {
    var facts: [Line?] = []
    lines = try HeldLines(file) { _, bytes in facts.append(Self.line(bytes)) }
    self.facts = facts
  }

  private static func line(_ bytes: [UInt8]) -> Line? {
    guard HeldLines.isJSON(bytes), let line = JSONObject(0..<bytes.count, in: bytes) else {
      return nil
    }
    if line["type"] == nil, let session = line.name("sessionId"), let id = line["sessionId"],
      line.name("projectHash") != nil, line.name("startTime") != nil
    {
      return .header(session: session, id: id)
    }
    return .record
  }

  func number(_ line: Int) -> Int { line == HeldLines.beginning ? 1 : lines.number(line) }

  /// The first line, where it is a valid header; nil otherwise.
  var header: Int? {
    lines.order.first.flatMap { line in
      if case .header? = facts[line] { return line }
      return nil
    }
  }

  /// The messages of the conversation: the last version of each, without those that were taken back.
  func messages() throws -> [GeminiMessage] {
    var messages: [GeminiMessage] = []
    func add(_ message: GeminiMessage) {
      if let id = message.id, let place = messages.firstIndex(where: { $0.id == id }) {
        messages[place] = message
      } else {
        messages.append(message)
      }
    }
    for line in lines.order {
      let bytes = try lines.bytes(line)
      guard let object = JSONObject(0..<bytes.count, in: bytes) else { continue }
      if let all = object.object("$set")?.elements("messages") {
        messages = []
        for (index, message) in all.enumerated() {
          GeminiMessage(
            message, at: "/$set/messages/\(index)", index: index, of: line, in: bytes
          ).map(add)
        }
      } else if let id = object.string("$rewindTo") {
        let place = messages.firstIndex { $0.id == id } ?? 0
        messages.removeSubrange(place...)
      } else {
        GeminiMessage(0..<bytes.count, at: "", index: nil, of: line, in: bytes).map(add)
      }
    }
    return messages
  }

  /// Applies a round of remedies to the lines.
  mutating func change(_ round: RemedyRound) throws {
    for line in round.gone { lines.leaveOut(line) }
    for (line, patch) in round.patches where !round.gone.contains(line) {
      let bytes = patch.applied(to: try lines.bytes(line))
      lines.replace(line, with: bytes)
      facts[line] = Self.line(bytes)
    }
    for (bytes, _, line) in round.additions {
      lines.insert(bytes, after: line)
      facts.append(Self.line(bytes))
    }
  }
}
