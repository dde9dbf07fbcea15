import KeepsakeTestSupport
import Foundation

/// A random transcript in Apple's JSON: both versions, any order of keys, white space, spelling of strings and numbers,
/// unknown keys, roles and contents, and images in every spelling.
struct RandomTranscript {
  private var random: SeededGenerator
  private let isNew: Bool
  /// Of another transcript they are others.
  private let stem: String
  private var ids = 0

  init(seed: UInt64) {
    stem = String(seed & 0xFFFFFF, radix: 16)
    random = SeededGenerator(seed: seed)
    isNew = Bool.random(using: &random)
  }

  mutating func bytes() -> [UInt8] {
    let entries = (0..<int(0...5)).map { _ in entry() }
    var text = object([
      ("type", string("FoundationModels.Transcript")), ("version", isNew ? #""1.1""# : "1"),
      ("transcript", object([("entries", array(entries))] + unknown())),
    ])
    if chance(8) {
      text = object([("modelName", string("system")), ("transcript", text)] + unknown())
    }
    var bytes = Array((space() + text + space()).utf8)
    if chance(20) { bytes = [0xEF, 0xBB, 0xBF] + bytes }
    if chance(20) { bytes += [0, 0, 0] }
    return bytes
  }

  private mutating func entry() -> String {
    var members: [(String, String)] = [("id", string(id()))]
    switch int(0...(isNew ? 7 : 5)) {
    case 0:
      members += [("role", string("instructions")), ("contents", contents())]
      if chance(2) { members.append(("tools", array(chance(2) ? [] : [value(2)]))) }
    case 1:
      members += [("role", string("user")), ("contents", contents()), ("options", value(2))]
      if isNew { members.append(("contextOptions", object(unknown()))) }
      if chance(3) { members.append(("responseFormat", value(3))) }
    case 2:
      let calls = (0..<int(0...3)).map { _ in
        object(
          [("id", string(id())), ("name", string("Draw")), ("arguments", string(value(2)))]
            + unknown())
      }
      members += [("role", string("response")), ("toolCalls", array(calls))]
    case 3:
      members += [
        ("role", string("tool")), ("toolCallID", string(chance(2) ? "\(stem)-\(ids)" : id())),
        ("toolName", string("Draw")), ("contents", contents()),
      ]
    case 4:
      members += [
        ("role", string("response")), ("contents", contents()), ("assets", array([string("a")])),
      ]
    case 5: members += [("role", string("future")), ("payload", value(3))]
    case 6:
      members += [
        ("role", string("reasoning")),
        ("reasoning", object([("contents", contents()), ("signature", string("c2ln"))])),
        ("metadata", object(unknown())),
      ]
    default: return value(2)
    }
    if isNew, chance(4) { members.append(("metadata", object(unknown()))) }
    // A key that comes twice: the first counts.
    if chance(12), let again = members.randomElement(using: &random) { members.append(again) }
    return object(members + unknown())
  }

  private mutating func contents() -> String {
    array((0..<int(0...3)).map { _ in content() })
  }

  private mutating func content() -> String {
    let id = ("id", string(chance(3) ? "0" : self.id()))
    switch int(0...(isNew ? 5 : 2)) {
    case 0:
      return object([("type", string("text")), id, ("text", string(text()))] + unknown())
    case 1:
      let structure = object([("source", string("Card")), ("content", value(3))])
      return object([("type", string("structure")), id, ("structure", structure)])
    case 2:
      return object([("type", string("text")), id, ("text", string(text()))])
    case 3:
      return object([("type", string("image")), id, ("image", image())])
    case 4:
      let attachment = object([
        ("type", string("image")), ("label", string("image_\(int(0...2))")), ("data", image()),
      ])
      return object([("type", string("attachment")), id, ("attachment", attachment)])
    default: return object([("type", string("video")), id] + unknown())
    }
  }

  /// A data URL: canonical, without padding, wrapped, in the other alphabet, with escaped slashes, or rubbish.
  private mutating func image() -> String {
    let size = chance(6) ? int(384...600) : int(1...40)
    var base64 = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
      .base64EncodedString()
    switch int(0...6) {
    case 0: base64 = base64.replacing("=", with: "")
    case 1: base64 = base64.replacing("+", with: "-").replacing("/", with: "_")
    case 2: base64 = base64.replacing("/", with: #"\/"#)
    case 3: base64 = #"\n"# + base64
    case 4: base64 = "*" + base64
    default: break
    }
    let type = chance(4) ? #"image\/png"# : "image/jpeg"
    return #""data:\#(type);base64,\#(base64)""#
  }

  // MARK: - JSON

  private mutating func value(_ depth: Int) -> String {
    switch int(0...(depth > 0 ? 6 : 4)) {
    case 0: return "null"
    case 1: return Bool.random(using: &random) ? "true" : "false"
    case 2, 3: return chance(2) ? number() : string(text())
    case 4: return number()
    case 5: return array((0..<int(0...2)).map { _ in value(depth - 1) })
    default: return object(unknown(depth - 1))
    }
  }

  private mutating func number() -> String {
    ["0", "-0", "1", "1.0", "1e2", "100", "0.1000", "-12.5E-3", "123456789012345678901234567890"]
      .randomElement(using: &random) ?? "0"
  }

  private mutating func unknown(_ depth: Int = 1) -> [(String, String)] {
    guard chance(4) else { return [] }
    return [("x\(int(0...2))", value(depth)), ("y~/\(int(0...1))", value(depth))]
  }

  private mutating func object(_ members: [(String, String)]) -> String {
    let members = members.shuffled(using: &random).map { key, value in
      space() + string(key, plain: !chance(10)) + space() + ":" + space() + value + space()
    }
    return "{" + members.joined(separator: ",") + (members.isEmpty ? space() : "") + "}"
  }

  private mutating func array(_ elements: [String]) -> String {
    let elements = elements.map { space() + $0 + space() }
    return "[" + elements.joined(separator: ",") + (elements.isEmpty ? space() : "") + "]"
  }

  private mutating func text() -> String {
    let words = [
      "banana", "é", "e\u{301}", "藍色", "🍌", "\"quoted\"", "a/b", "line\nbreak", "\u{1}", "\u{2028}",
      "/var/folders/9j/a.png", "\u{FFFD}", "data:image/png;base64,AAAA", "]},{", "\\",
    ]
    return (0..<int(0...4)).map { _ in words.randomElement(using: &random) ?? "" }
      .joined(separator: " ")
  }

  /// A string, some of it as escapes that it would not need.
  private mutating func string(_ text: String, plain: Bool = false) -> String {
    var written = "\""
    for unit in text.unicodeScalars {
      switch unit {
      case "\"": written += #"\""#
      case "\\": written += #"\\"#
      case "/": written += chance(2) && !plain ? #"\/"# : "/"
      case "\n": written += #"\n"#
      case _ where unit.value < 0x20 || (!plain && chance(12)):
        for code in String(unit).utf16 {
          let digits = String(code, radix: 16, uppercase: chance(2))
          written += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: written.unicodeScalars.append(unit)
      }
    }
    return written + "\""
  }

  private mutating func space() -> String {
    chance(4) ? ["", " ", "\n  ", "\t", "\r\n"].randomElement(using: &random) ?? "" : ""
  }

  private mutating func id() -> String {
    ids += 1
    // Some come twice, and some are no UUIDs.
    if chance(3) { return "\(stem)-\(int(1...max(1, ids)))" }
    let digits = String((UInt64(stem, radix: 16) ?? 0) << 20 + UInt64(ids), radix: 16)
    return "6C5B1B4E-5B49-4C0B-9B4B-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private mutating func int(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func chance(_ one: Int) -> Bool { int(1...one) == 1 }
}
