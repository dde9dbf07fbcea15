import KeepsakeFiles
import Keepsake

/// The facts about a part of a message of Gemini that its service's rules need.
struct GeminiSentPart: Sendable {
  enum Kind { case call, response, image, other }

  let kind: Kind
  let range: Range<Int>
  let pointer: String
  let id: String?
  let name: String?
  let media: SentMedia?
  /// The range of the signature of a thought, with its key and a comma; nil where there is none.
  let signature: Range<Int>?
  let isSignatureDamaged: Bool

  init(_ range: Range<Int>, at pointer: String, in line: [UInt8]) {
    self.range = range
    self.pointer = pointer
    let part = JSONObject(range, in: line)
    let call = part.flatMap { $0.object("functionCall") ?? $0.object("function_call") }
    let response = part.flatMap { $0.object("functionResponse") ?? $0.object("function_response") }
    let inline = part.flatMap { $0.object("inlineData") ?? $0.object("inline_data") }
    id = (call ?? response)?.name("id")
    name = (call ?? response)?.name("name")
    kind = call != nil ? .call : response != nil ? .response : inline != nil ? .image : .other
    media = inline.flatMap { inline in
      guard let data = inline["data"], inline.kind("data") == .string else { return nil }
      let type = inline.string("mimeType") ?? inline.string("mime_type")
      return SentMedia(
        isImage: type.map { MediaType($0).isImage } ?? true,
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), stated: type, typeRange: nil,
        in: line)
    }
    let key = part.flatMap { part in
      ["thoughtSignature", "thought_signature"].first { part[$0] != nil }
    }
    signature = key.flatMap { key in part.flatMap { $0.place(ofMember: key) } }
    // Only the service can read a signature, but its base64 can be checked.
    isSignatureDamaged =
      key.flatMap { key in part?[key] }.map { value in
        value.count <= 2
          || ForeignBase64.decode(line[(value.lowerBound + 1)..<(value.upperBound - 1)]) == nil
      } ?? false
  }
}

extension JSONObject {
  /// The range of a member with its key and one of the commas beside it.
  fileprivate func place(ofMember key: String) -> Range<Int>? {
    guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
    var start = members[index].value.lowerBound
    // Go back over the colon to the quote after the key, which has no escapes.
    while start > 0, bytes[start - 1] != UInt8(ascii: "\"") { start -= 1 }
    start -= key.utf8.count + 2
    if index + 1 < members.count {
      var end = members[index].value.upperBound
      while bytes[end] != UInt8(ascii: ",") { end += 1 }
      return start..<(end + 1)
    }
    if index > 0 { start = members[index - 1].value.upperBound }
    return start..<members[index].value.upperBound
  }
}

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
