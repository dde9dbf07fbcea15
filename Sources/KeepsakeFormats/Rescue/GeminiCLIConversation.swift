import KeepsakeFiles
import Keepsake

/// A part of what somebody said to or by Gemini, as far as its service judges it.
struct GeminiSentPart: Sendable {
  enum Kind { case call, response, image, other }

  let kind: Kind
  let range: Range<Int>
  let pointer: String
  let id: String?
  let name: String?
  let media: SentMedia?
  /// The member that says where a thought came from, with its key and a comma; nil where there is none.
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
    // Nobody but the service knows what is in it; that it is base64 can be seen.
    isSignatureDamaged =
      key.flatMap { key in part?[key] }.map { value in
        value.count <= 2
          || ForeignBase64.decode(line[(value.lowerBound + 1)..<(value.upperBound - 1)]) == nil
      } ?? false
  }
}

extension JSONObject {
  /// Where a member stands with its key and one of the commas beside it.
  fileprivate func place(ofMember key: String) -> Range<Int>? {
    guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
    var start = members[index].value.lowerBound
    // Back over the colon to the quote before the key, which has no escapes.
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

/// A message of a session, as it was last written.
struct GeminiMessage: Sendable {
  /// A call beside what a message says, with what came of it.
  struct Call: Sendable {
    let range: Range<Int>
    let pointer: String
    let id: String?
    let name: String?
    /// What came of it, as it is written; nil where nothing is.
    let result: Range<Int>?
    let isAnswered: Bool
  }

  let line: Int
  let range: Range<Int>
  let pointer: String
  /// Where it stands in a list of messages; nil where it is a line of its own.
  let index: Int?
  let id: String?
  let isModel: Bool
  let parts: [GeminiSentPart]
  /// Where its parts stand, where that is a list.
  let list: Range<Int>?
  let calls: [Call]
  /// What the program says in it of a request that failed.
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

  /// The calls that it is sent with: those among its parts, and where there are none those beside it.
  var saysCalls: Bool { parts.contains { $0.kind == .call } }
}

/// A session of Gemini CLI as it is healed: its lines, and the messages that it comes to.
struct GeminiCLIConversation {
  /// What a line is.
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

  /// The first line, where it is what a first line has to be.
  var header: Int? {
    lines.order.first.flatMap { line in
      if case .header? = facts[line] { return line }
      return nil
    }
  }

  /// The messages that there are in the end: of those that were written again the last, without what was taken back.
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

  /// Puts what was changed in the place of what stood there, and looks at it anew.
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
