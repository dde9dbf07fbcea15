import Foundation

/// A session of Claude Code that is written here, line by line, each following the one before it.
struct Talk {
  private(set) var lines: [String] = []
  /// The uuid of the line that the next one follows.
  var last: String?
  private var count = 0

  static let session = "11111111-2222-4333-8444-555555555555"

  /// Adds a line that is in the conversation; its uuid.
  @discardableResult
  mutating func add(_ type: String, _ others: String, after parent: String?? = .none) -> String {
    count += 1
    let uuid = "u-\(count)"
    let before = parent ?? last
    let link = before.map { "\"\($0)\"" } ?? "null"
    lines.append(
      #"{"parentUuid":\#(link),"isSidechain":false,"userType":"external","cwd":"/home/alice/fruit","sessionId":"\#(Self.session)","version":"2.1.5","gitBranch":"main","type":"\#(type)","uuid":"\#(uuid)","timestamp":"2026-11-20T10:00:00.000Z",\#(others)}"#
    )
    last = uuid
    return uuid
  }

  @discardableResult
  mutating func user(_ content: String, after parent: String?? = .none) -> String {
    add("user", #""message":{"role":"user","content":\#(content)}"#, after: parent)
  }

  @discardableResult
  mutating func model(_ blocks: String, id: String = "m", after parent: String?? = .none) -> String
  {
    add(
      "assistant",
      #""message":{"id":"\#(id)","type":"message","role":"assistant","model":"claude-x","content":[\#(blocks)],"usage":{"input_tokens":1,"output_tokens":1}}"#,
      after: parent)
  }

  /// A line as it stands.
  mutating func raw(_ line: String) { lines.append(line) }

  static func text(_ text: String) -> String { #"{"type":"text","text":"\#(text)"}"# }

  static func call(_ id: String, _ tool: String = "Bash") -> String {
    #"{"type":"tool_use","id":"\#(id)","name":"\#(tool)","input":{"command":"ls"}}"#
  }

  static func result(_ id: String, _ content: String = #""done""#) -> String {
    #"{"tool_use_id":"\#(id)","type":"tool_result","content":\#(content)}"#
  }

  static func thinking(_ signature: String? = "c2ln", _ text: String = "Hm.") -> String {
    #"{"type":"thinking","thinking":"\#(text)"\#(signature.map { #","signature":"\#($0)""# } ?? "")}"#
  }

  static func image(_ bytes: [UInt8], as type: String = "image/png") -> String {
    #"{"type":"image","source":{"type":"base64","media_type":"\#(type)","data":"\#(Data(bytes).base64EncodedString())"}}"#
  }

  static func document(_ bytes: [UInt8]) -> String {
    #"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"\#(Data(bytes).base64EncodedString())"}}"#
  }

  var text: String { lines.map { $0 + "\n" }.joined() }
}

/// Pictures that are as large as they say, and hold nothing.
enum Picture {
  /// A PNG of any size in pixels, and at least so many bytes.
  static func png(_ width: Int, _ height: Int, bytes: Int = 0) -> [UInt8] {
    func word(_ number: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      word(content.count) + Array(name.utf8) + content + [0, 0, 0, 0]
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", word(width) + word(height) + [8, 2, 0, 0, 0])
      + chunk("IDAT", (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }) + chunk("IEND", [])
  }

  static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
    + [0xFF, 0xC0, 0, 11, 8, 0, 4, 0, 4, 1, 1, 0x11, 0]
    + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0x3F, 0, 1, 2, 0xFF, 0, 3, 0xFF, 0xD9]

  static let bmp: [UInt8] =
    Array("BM".utf8) + [70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]
    + [1, 0, 24, 0] + [UInt8](repeating: 0, count: 40)
}
