import KeepsakeFiles
import Keepsake

/// A message of a Gemini CLI session, as it was last written.
struct GeminiMessage: Sendable {
  /// A call in a message's list of calls, with its result.
  struct Call: Sendable {
    let range: Range<Int>
    let pointer: String
    let id: String?
    let name: String?
    /// The range of the result; nil where there is none.
    let result: Range<Int>?
    let isAnswered: Bool
  }

  let line: Int
  let range: Range<Int>
  let pointer: String
  /// The index of the message in a list of messages; nil where the message is a line of its own.
  let index: Int?
  let id: String?
  let isModel: Bool
  let parts: [GeminiSentPart]
  /// The range of the list of parts; nil where the content is no list.
  let list: Range<Int>?
  let calls: [Call]
  /// The program's message about a failed request.
  let complaint: String?
  let isSaid: Bool

  init?(_ range: Range<Int>, at pointer: String, index: Int?, of line: Int, in bytes: [UInt8]) {
    guard let message = JSONObject(range, in: bytes), let type = message.string("type") else {
      return nil
    }
    self.line = line
    self.range = range
    self.pointer = pointer
    self.index = index
    id = message.name("id")
    isModel = type == "gemini"
    isSaid = isModel || type == "user"
    complaint = type == "error" ? message.string("content") : nil
    let content = message["content"]
    let elements = message.elements("content")
    list = elements == nil ? nil : content
    if let elements {
      parts = elements.enumerated().map { index, part in
        GeminiSentPart(part, at: "\(pointer)/content/\(index)", in: bytes)
      }
    } else {
      parts = content.map { [GeminiSentPart($0, at: "\(pointer)/content", in: bytes)] } ?? []
    }
    calls = (message.elements("toolCalls") ?? []).enumerated().compactMap { index, call in
      guard let object = JSONObject(call, in: bytes) else { return nil }
      let result = object["result"]
      return Call(
        range: call, pointer: "\(pointer)/toolCalls/\(index)", id: object.name("id"),
        name: object.name("name"), result: result,
        isAnswered: result.map { $0.count > 2 && object.kind("result") != .null } ?? false)
    }
  }

  /// Whether calls stand among the message's parts. Then those are sent, and the message's own list of calls is not.
  var saysCalls: Bool { parts.contains { $0.kind == .call } }
}
