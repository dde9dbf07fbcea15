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

/// An escaped character that no service accepts: half of a surrogate pair, or a control character.
struct UnsendableEscape: Sendable {
  let range: Range<Int>
  let isSurrogate: Bool
  /// The character that is shown instead, in UTF-8.
  let shown: [UInt8]

  /// Finds all such escapes in a range of a line.
  static func all(in range: Range<Int>, of line: [UInt8]) -> [UnsendableEscape] {
    var found: [UnsendableEscape] = []
    var high: Range<Int>?
    func end(_ range: Range<Int>?) {
      guard let range else { return }
      found.append(.init(range: range, isSurrogate: true, shown: Array("\u{FFFD}".utf8)))
    }
    let bytes = line.span.bytes
    var offset = range.lowerBound
    while let escape = bytes.firstOffset(of: UInt8(ascii: "\\"), from: offset),
      escape + 1 < range.upperBound
    {
      if escape != offset || high?.upperBound != escape {
        end(high)
        high = nil
      }
      guard line[escape + 1] == UInt8(ascii: "u"), escape + 6 <= range.upperBound,
        let unit = UInt32(
          String(decoding: line[(escape + 2)..<(escape + 6)], as: UTF8.self), radix: 16)
      else {
        end(high)
        high = nil
        offset = escape + 2
        continue
      }
      let place = escape..<(escape + 6)
      offset = place.upperBound
      switch unit {
      case 0xD800..<0xDC00:
        end(high)
        high = place
      case 0xDC00..<0xE000:
        if high == nil { end(place) }
        high = nil
      default:
        end(high)
        high = nil
        guard isControl(unit), let shown = Unicode.Scalar(0x2400 + unit) else { continue }
        found.append(
          .init(range: place, isSurrogate: false, shown: Array(String(Character(shown)).utf8)))
      }
    }
    end(high)
    return found
  }

  /// Whether a character is a control character. Line breaks, tabs and the escape of terminal colours are allowed.
  private static func isControl(_ unit: UInt32) -> Bool {
    unit < 0x20 && ![0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains(unit)
  }
}

/// The content of a message in one line.
struct SentContent: Sendable {
  /// The range of the content in the line.
  let range: Range<Int>
  /// Whether the content is a text, and no list.
  let isText: Bool
  let blocks: [SentBlock]
  let unsendable: [UnsendableEscape]

  /// Reads the content of a message; nil where there is none.
  init?(of message: JSONObject, at pointer: String, in line: [UInt8]) {
    guard let content = message["content"] else { return nil }
    range = content
    unsendable = UnsendableEscape.all(in: content, of: line)
    isText = message.kind("content") == .string
    if isText {
      blocks = [SentBlock(text: content, at: "\(pointer)/content", in: line)]
    } else {
      guard let elements = JSONText.elements(content, in: line) else { return nil }
      blocks = elements.enumerated().map { index, block in
        SentBlock(block, at: "\(pointer)/content/\(index)", in: line)
      }
    }
  }

  /// All blocks, each result followed by the blocks in it.
  var all: [SentBlock] { blocks.flatMap { [$0] + $0.parts } }

  /// Whether the content consists of results.
  var isResultsOnly: Bool { !blocks.isEmpty && blocks.allSatisfy { $0.kind == .result } }
}

/// A message as it is sent, whose content may stand in several lines.
struct SentMessage {
  let isModel: Bool
  /// The blocks, each with the line that it stands in.
  var blocks: [(line: Int, block: SentBlock)] = []
  /// The lines with the message's content.
  var lines: [Int] = []
  /// The ids that the program gave the message.
  var ids: Set<String> = []
  /// The length of the content as it is written, in bytes.
  var bytes = 0
  /// The escapes that no service accepts, each with its line.
  var unsendable: [(line: Int, escape: UnsendableEscape)] = []

  init(isModel: Bool) { self.isModel = isModel }

  var calls: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .call } }
  var results: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .result } }
  var isResultsOnly: Bool { blocks.allSatisfy { $0.block.kind == .result } }

  /// The images and documents, including those in results.
  var media: [(line: Int, block: SentBlock, media: SentMedia)] {
    blocks.flatMap { line, block in
      ([block] + block.parts).compactMap { block in block.media.map { (line, block, $0) } }
    }
  }
}
