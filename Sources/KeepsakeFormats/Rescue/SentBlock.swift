import KeepsakeFiles
import Keepsake

/// The facts about a block of a message that a service's rules need, and the block's range in its line.
struct SentBlock: Sendable {
  enum Kind { case text, thinking, call, result, serverCall, serverResult, image, document, other }

  let kind: Kind
  let range: Range<Int>
  /// The JSON Pointer of the block.
  let pointer: String
  /// The id of a call, or the id of the call that a result answers.
  private(set) var id: String?
  /// The range of the id.
  private(set) var idRange: Range<Int>?
  /// The range of the text, or of the content of a result.
  private(set) var content: Range<Int>?
  /// Whether a text is blank, or a thinking is empty.
  private(set) var isBlank = false
  private(set) var isSigned = false
  /// Whether the content of a result is neither a text nor a list.
  private(set) var isMisshapen = false
  /// The name of the tool of a call.
  private(set) var tool: String?
  /// The blocks in a result.
  private(set) var parts: [SentBlock] = []
  private(set) var media: SentMedia?

  init(_ range: Range<Int>, at pointer: String, in line: [UInt8]) {
    self.range = range
    self.pointer = pointer
    guard let block = JSONObject(range, in: line) else {
      // A list may hold plain strings.
      kind = JSONText.kind(range, in: line) == .string ? .text : .other
      if kind == .text {
        content = range
        isBlank = Self.isBlank(JSONText.string(range, in: line))
      }
      return
    }
    let type = block.string("type") ?? ""
    switch type {
    case "text":
      kind = .text
      content = block["text"]
      isBlank = Self.isBlank(block.string("text"))
    case "thinking", "redacted_thinking":
      kind = .thinking
      isBlank = block.string("thinking").map(\.isEmpty) ?? false
      isSigned = type == "redacted_thinking" || block.name("signature") != nil
    case "tool_use":
      kind = .call
      name(block, "id")
    case "server_tool_use", "mcp_tool_use":
      kind = .serverCall
      name(block, "id")
    case "tool_result":
      kind = .result
      name(block, "tool_use_id")
      read(block, in: line)
    case _ where type.hasSuffix("tool_result"):
      kind = .serverResult
      name(block, "tool_use_id")
    case "image", "document":
      kind = type == "image" ? .image : .document
      media = Self.media(block, isImage: kind == .image, in: line)
    default: kind = .other
    }
    tool = block.string("name")
  }

  /// Creates the block of a message whose content is a single text.
  init(text range: Range<Int>, at pointer: String, in line: [UInt8]) {
    kind = .text
    self.range = range
    self.pointer = pointer
    content = range
    isBlank = Self.isBlank(JSONText.string(range, in: line))
  }

  private static func isBlank(_ text: String?) -> Bool {
    text?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? false
  }

  private mutating func name(_ block: JSONObject, _ key: String) {
    id = block.name(key)
    idRange = block[key]
  }

  private mutating func read(_ block: JSONObject, in line: [UInt8]) {
    guard let said = block["content"] else { return }
    content = said
    switch JSONText.kind(said, in: line) {
    case .string: return
    case .array:
      parts = (JSONText.elements(said, in: line) ?? []).enumerated().map { index, part in
        SentBlock(part, at: "\(pointer)/content/\(index)", in: line)
      }
    default: isMisshapen = true
    }
  }

  private static func media(_ block: JSONObject, isImage: Bool, in line: [UInt8]) -> SentMedia? {
    guard let source = block.object("source"), source.string("type") == "base64",
      let data = source["data"], source.kind("data") == .string
    else { return nil }
    return SentMedia(
      isImage: isImage, base64: (data.lowerBound + 1)..<(data.upperBound - 1),
      stated: source.string("media_type"), typeRange: source["media_type"], in: line)
  }
}
