import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `Snippets` {
  private func marked(_ text: String, _ query: String, width: Int = 160) throws -> String {
    let (snippet, ranges) = SearchText.snippet(
      of: Array(text.utf8), matching: try SearchQuery(query), width: width)
    var bytes = Array(snippet.utf8)
    for range in ranges.reversed() {
      bytes.insert(UInt8(ascii: "]"), at: range.upperBound)
      bytes.insert(UInt8(ascii: "["), at: range.lowerBound)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a short text is shown whole, on one line`() throws {
    #expect(try marked("  A ripe\n\tbanana. ", "banana") == "A ripe [banana].")
  }

  @Test func `hits are marked as they were written`() throws {
    #expect(try marked("Un Été à la Straße", "ete strass*") == "Un [Été] à la [Straße]")
    #expect(try marked("我看見藍色的海", "藍色") == "我看見[藍色]的海")
    #expect(try marked("e\u{301}te\u{301}!", "été") == "[e\u{301}te\u{301}]!")
    #expect(try marked("see image_1.", "image_1") == "see [image_1].")
    #expect(try marked("a blue\n  cup", "\"blue cup\"") == "a [blue cup]")
    #expect(try marked("one two three", "\"one two\" \"two three\"") == "[one two three]")
  }

  @Test func `a hit is marked wherever in the text it stands`() throws {
    for gap in [" ", ", ", "é ", "…"] {
      for before in 0..<20 {
        for after in 0..<20 {
          let (head, tail) = (
            String(repeating: "x", count: before), String(repeating: ",", count: after)
          )
          let text = "\(head)\(gap)Cup_of_tea.\(tail)\(gap)y"
          let expected = text.replacing("Cup_of_tea", with: "[Cup]_of_[tea]")
          let found = try marked(text, "cup tea").drop { $0.isWhitespace }
          #expect(found == expected.drop { $0.isWhitespace }, "'\(text)'")
        }
      }
    }
  }

  @Test func `the window is where most of the words stand`() throws {
    let filler = String(repeating: "lorem ipsum ", count: 40)
    let text = "cup " + filler + "a blue cup " + filler + "blue"
    let snippet = try marked(text, "blue cup", width: 40)
    #expect(snippet.contains("a [blue] [cup]"))
    #expect(snippet.hasPrefix("…") && snippet.hasSuffix("…"))
  }

  @Test func `it is the first of such places, however long the text is`() throws {
    let filler = String(repeating: "lorem ipsum ", count: 400)
    for length in [0, 1, 100, 101, 400] {
      let before = String(repeating: "lorem ipsum ", count: length)
      let text = before + "a first cup " + filler + "cup cup cup " + filler
      let snippet = try marked(text, "cup", width: 30)
      #expect(snippet.contains("first [cup]"))
      #expect(snippet.split(separator: "[").count == 2)
      #expect(snippet.hasSuffix("…"))
      let apart = try marked(text + "a blue one", "cup blue", width: 30)
      #expect(apart.contains("first [cup]"))
    }
    #expect(try marked(filler + "at the end: cup", "cup", width: 30).hasSuffix("end: [cup]"))
    let phrase = try marked("cup " + filler + "a blue cup", "\"blue cup\"", width: 30)
    #expect(phrase.hasSuffix("a [blue cup]"))
  }

  @Test func `words are not cut`() throws {
    let words = (100..<400).map { "word\($0)" }
    for width in 10...60 {
      let snippet = try marked(words.joined(separator: " "), "word250", width: width)
      let inside = snippet.split { " …[]".contains($0) }.map(String.init)
      #expect(inside.allSatisfy(words.contains), "\(snippet)")
      #expect(inside.contains("word250"))
      #expect(snippet.count <= width + 4)
    }
  }

  @Test func `without a hit it is the beginning`() throws {
    #expect(try marked("one two three", "four", width: 9) == "one two…")
    #expect(try marked("", "four") == "")
    #expect(try marked(" \n ", "four") == "")
  }

  @Test func `a hit is never cut`() throws {
    #expect(
      try marked("so incomprehensible it is", "incomprehensible", width: 4)
        == "…[incomprehensible]…")
  }

  @Test func `ranges fit the snippet, whatever the text`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("Snippet seed: \(seed)")
    var random = SeededGenerator(seed: seed)
    let alphabet = [
      "a", "b", " ", "\n", "é", "藍", "色", "🍌", "㍿", "e\u{301}", ".", "\u{FDFA}", "ab ",
    ]
    for round in 0..<5_000 {
      // A few are longer than what is looked at first.
      let longest = round.isMultiple(of: 50) ? 5_000 : 120
      let text = (0..<Int.random(in: 0...longest, using: &random))
        .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      let query = try SearchQuery(
        ["a", "a*", "藍色", "e b", "\"a b\" 色", "会"].randomElement(using: &random) ?? "a")
      let width = Int.random(in: 0...60, using: &random)
      let (snippet, ranges) = SearchText.snippet(
        of: Array(text.utf8), matching: query, width: width)
      let bytes = Array(snippet.utf8)
      #expect(!snippet.contains("\u{FFFD}") && !snippet.contains("\n"), "seed \(seed)")
      for (range, next) in zip(ranges, ranges.dropFirst() + [bytes.count..<bytes.count]) {
        #expect(!range.isEmpty && range.upperBound <= next.lowerBound, "seed \(seed)")
        #expect(bytes[range.lowerBound] & 0xC0 != 0x80, "seed \(seed)")
      }
      if query.matches(text) { #expect(!ranges.isEmpty, "seed \(seed)") }
    }
  }
}
