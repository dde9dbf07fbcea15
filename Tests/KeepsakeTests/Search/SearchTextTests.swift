import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `Text for search` {
  @Test(arguments: [
    ("Give me a BANANA.", "give me a banana"),
    ("  \n", ""), ("", ""), ("…!?", ""), ("a", "a"), ("🍌", ""),
    ("GenerateImage image_1 don't 3.14", "generateimage image 1 don t 3 14"),
    ("été Été e\u{301}te\u{301} ÅNGSTRÖM", "ete ete ete angstrom"),
    ("Łódź Ærø œuvre Øre ısparta İzmir", "lodz aero oeuvre ore isparta izmir"),
    ("STRASSE Straße STRAẞE", "strasse strasse strasse"),
    ("Tiếng Việt Ti\u{1EBF}ng", "tieng viet tieng"),
    ("Ｆｕｌｌ ﬁne ① x² Ⅷ", "full fine 1 x2 viii"),
    ("Ἀθῆναι ΌΔΟΣ ὁδός", "αθηναι οδοσ οδοσ"),
    (
      "Ёлка ёлка е\u{308}лка Йод и\u{306}од за\u{301}мок Київ Ўзбек",
      "елка елка елка йод йод замок київ ўзбек"
    ),
    ("藍色", "藍 色"), ("GPT的夢abc", "gpt 的 夢 abc"), ("我,你", "我 你"),
    ("カタカナ ｶﾞｷﾞ か\u{3099} ー", "カ タ カ ナ ガ ギ が ー"),
    ("한국어 \u{1112}\u{1161}\u{11AB}국", "한국어 한국"),
    ("ภาษา", "ภ า ษ า"), ("ភាសា", "ភ ា ស ា"),
    ("हिन्दी में", "हिन्दी में"), ("مـــرحبا", "مرحبا"),
    ("co\u{AD}operate zero\u{200D}joiner \u{FEFF}mark", "cooperate zerojoiner mark"),
    ("Keepsake™ 5㎏ 10℃", "keepsake 5kg 10 c"),
    ("\u{F900}", "\u{8C48}"), ("𠀀𝔄𝟗", "𠀀 a9"), ("\u{10FFFF}a\u{E000}b\u{0}c", "a b c"),
  ])
  func `text becomes folded tokens`(text: String, tokens: String) {
    #expect(Array(SearchText.indexed(text).unicodeScalars) == Array(tokens.unicodeScalars))
  }

  @Test func `every character is folded once and for all`() {
    // Beyond these there are ideographs, which are themselves, and nothing.
    let ranges: [Range<UInt32>] = [0..<0x20000, 0x2F800..<0x2FA20, 0xE0000..<0xE0200]
    for value in ranges.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let once = SearchText.tokens(of: String(scalar))
      let twice = SearchText.tokens(of: String(decoding: once, as: UTF8.self))
      if once != twice { Issue.record("U+\(String(value, radix: 16))") }
    }
  }

  @Test func `an ASCII character means the same wherever in a text it stands`() {
    for byte in 0..<UInt8(128) {
      for place in 0..<24 {
        for filler in ["x", "-", "Q", " ", "é"] {
          let text =
            String(repeating: filler, count: place) + String(Unicode.Scalar(byte))
            + String(repeating: filler, count: 24 - place)
          #expect(SearchText.indexed(text) == words(of: text), "\(byte) at \(place) of '\(filler)'")
        }
      }
    }
  }

  @Test func `a text of words and signs is cut as letter by letter`() {
    let seed = UInt64.random(in: .min ... .max)
    print("Search text seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    let parts = [
      "a", "Z", "word", "9", " ", ", ", "\n\n", "…", "é", "\u{AD}", "(", "_", "Ж", "\u{7F}",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...30, using: &random))
        .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      #expect(SearchText.indexed(text) == words(of: text), "'\(text)'")
    }
  }

  /// The slow way, for letters whose marks go.
  private func words(of text: String) -> String {
    text.unicodeScalars.filter { $0 != "\u{AD}" }.map { scalar in
      switch scalar {
      case "é": "e"
      case "a"..."z", "A"..."Z", "0"..."9", "Ж": String(scalar).lowercased()
      default: " "
      }
    }.joined().split(separator: " ").joined(separator: " ")
  }

  @Test func `text in parts comes out as composed text does`() {
    // What Swift holds for equal, in every script: é and e with its accent are the same String.
    for value in 0xC0..<UInt32(0x3100) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let composed = String(scalar)
      for mark in ["\u{301}", "\u{306}", "\u{308}", "\u{3099}", "\u{309A}"] as [Unicode.Scalar] {
        var text = composed
        text.unicodeScalars.append(mark)
        guard text.count == 1, let single = Self.composed[text] else { continue }
        if SearchText.tokens(of: text) != SearchText.tokens(of: single) {
          Issue.record("U+\(String(value, radix: 16)) and \(mark.value)")
        }
      }
    }
  }

  /// Every String of one scalar under itself: equal Strings are canonically equivalent.
  private static let composed: [String: String] = {
    var strings: [String: String] = [:]
    for value in 0xC0..<UInt32(0x3100) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      strings[String(scalar)] = String(scalar)
    }
    return strings
  }()
}
