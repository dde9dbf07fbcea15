import Testing

@testable import KeepsakeMCP

/// How stored text is shown to a model.
@Suite struct VisibleTextTests {
  @Test(
    arguments: [
      ("plain\ttext\nof two lines", "plain\ttext\nof two lines"), ("é 藍色 👩‍👩‍👧 क्‍ष", "é 藍色 👩‍👩‍👧 क्‍ष"),
      ("\u{1B}[2J", #"\u{1b}[2J"#), ("a\rb", #"a\u{d}b"#), ("a\u{7F}\u{9B}", #"a\u{7f}\u{9b}"#),
      ("pho\u{202E}gnp.exe", #"pho\u{202e}gnp.exe"#),
      ("a\u{2066}b\u{2069}", #"a\u{2066}b\u{2069}"#),
      ("a\u{200B}\u{2060}\u{2064}\u{FEFF}b", #"a\u{200b}\u{2060}\u{2064}\u{feff}b"#),
      ("\u{E0041}\u{E007F}", #"\u{e0041}\u{e007f}"#), ("❤\u{FE0F}", "❤\u{FE0F}"),
      ("❤\u{FE0F}\u{FE01}\u{FE02}", #"❤\u{fe0f}\u{fe01}\u{fe02}"#),
      ("x\u{E0100}\u{E0101}", #"x\u{e0100}\u{e0101}"#), ("\u{FE0F}x", #"\u{fe0f}x"#),
      ("a\u{2028}b", #"a\u{2028}b"#), ("\u{0}", #"\u{0}"#),
    ]) func `what hides or steers is written out, and scripts and emoji stay`(
      text: String, shown: String
    )
  {
    #expect(VisibleText.block(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
  }

  @Test func `a name is one line of at most 120 characters, however long and however marked`() {
    #expect(VisibleText.line(" a \n\t b\u{2028}c ") == "a b c")
    #expect(VisibleText.line("") == "")
    let long = VisibleText.line(String(repeating: "é", count: 10_000_000))
    #expect(long.unicodeScalars.count == 121 && long.hasSuffix("…"))
    let marked = VisibleText.line("e" + String(repeating: "\u{301}", count: 1_000_000))
    #expect(marked.unicodeScalars.count == 121)
    #expect(VisibleText.line(String(repeating: "x", count: 120)).count == 120)
    #expect(VisibleText.line("a\u{1B}]0;t\u{7}b") == #"a\u{1b}]0;t\u{7}b"#)
    for limit in 4...40 {
      let line = VisibleText.line("éé\u{202E}藍色 and more words", bytes: limit)
      #expect(line.utf8.count <= limit)
    }
  }

  @Test func `no cut parts a character or an escape, and the pieces are the whole`() {
    let text = Array(VisibleText.block("aé藍👩‍👩‍👧\u{202E}\u{E0041}b\\u{zz}\\u{12").utf8)
    for limit in 10...text.count + 1 {
      var offset = 0
      var joined: [UInt8] = []
      while offset < text.count {
        let end = Cut.end(of: text, from: offset, limit: limit)
        #expect(end > offset && end - offset <= limit)
        let piece = Array(text[offset..<end])
        #expect(String(validating: piece, as: UTF8.self) != nil)
        // A piece that ended in an escape would show its beginning as text.
        let tail = String(decoding: piece.suffix(9), as: UTF8.self)
        #expect(
          !(tail.hasSuffix(#"\u{20"#) || tail.hasSuffix(#"\u{202"#) || tail.hasSuffix(#"\u{e00"#)))
        joined += piece
        offset = end
      }
      #expect(joined == text)
    }
  }
}
