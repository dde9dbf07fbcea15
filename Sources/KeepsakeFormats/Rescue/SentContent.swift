import KeepsakeFiles
import Keepsake

/// A block of a message, as far as the rules of a service look at it, and where it stands in its line.
struct SentBlock: Sendable {
  enum Kind { case text, thinking, call, result, serverCall, serverResult, image, document, other }

  let kind: Kind
  let range: Range<Int>
  /// Where it stands, as a JSON pointer.
  let pointer: String
  /// The id of a call, or the id that a result answers, and where it stands.
  private(set) var id: String?
  private(set) var idRange: Range<Int>?
  /// The text, or what a result says, as it is written.
  private(set) var content: Range<Int>?
  /// Whether a text or a thinking says nothing.
  private(set) var isBlank = false
  private(set) var isSigned = false
  /// Whether what a result says is neither a text nor a list.
  private(set) var isMisshapen = false
  /// The tool of a call.
  private(set) var tool: String?
  /// What a result holds.
  private(set) var parts: [SentBlock] = []
  private(set) var media: SentMedia?

  init(_ range: Range<Int>, at pointer: String, in line: [UInt8]) {
    self.range = range
    self.pointer = pointer
    guard let block = JSONObject(range, in: line) else {
      // A list may hold bare strings.
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

  /// A message whose content is one text.
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

/// A character that JSON spells as an escape, and that no service takes: half of a surrogate pair, or a control character.
struct UnsendableEscape: Sendable {
  let range: Range<Int>
  let isSurrogate: Bool
  /// What shows it instead.
  let shown: [UInt8]

  /// All of them in a range of a line.
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

  /// Breaks, tabs, and what colours text are in most outputs, and do no harm.
  private static func isControl(_ unit: UInt32) -> Bool {
    unit < 0x20 && ![0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains(unit)
  }
}

/// What a line gives to a message.
struct SentContent: Sendable {
  /// Where the content stands in the line.
  let range: Range<Int>
  /// Whether it is one text, and no list.
  let isText: Bool
  let blocks: [SentBlock]
  let unsendable: [UnsendableEscape]

  /// The content of the message that an object holds; nil where there is none.
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

  /// All blocks, and behind each result what it holds.
  var all: [SentBlock] { blocks.flatMap { [$0] + $0.parts } }

  /// Whether there is nothing in it but results.
  var isResultsOnly: Bool { !blocks.isEmpty && blocks.allSatisfy { $0.kind == .result } }
}

/// A message as it is sent: what one or several lines say, one after the other.
struct SentMessage {
  let isModel: Bool
  /// The blocks, each with the line that it stands in.
  var blocks: [(line: Int, block: SentBlock)] = []
  /// The lines that it consists of.
  var lines: [Int] = []
  /// The message's own ids.
  var ids: Set<String> = []
  /// How long it is as it is written.
  var bytes = 0
  /// The escapes in it that no service takes, each with its line.
  var unsendable: [(line: Int, escape: UnsendableEscape)] = []

  init(isModel: Bool) { self.isModel = isModel }

  var calls: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .call } }
  var results: [(line: Int, block: SentBlock)] { blocks.filter { $0.block.kind == .result } }
  var isResultsOnly: Bool { blocks.allSatisfy { $0.block.kind == .result } }

  /// The images and documents, also those that results hold.
  var media: [(line: Int, block: SentBlock, media: SentMedia)] {
    blocks.flatMap { line, block in
      ([block] + block.parts).compactMap { block in block.media.map { (line, block, $0) } }
    }
  }
}
