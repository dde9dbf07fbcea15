import Testing

@testable import Keepsake

@Suite struct `Bodies of entries` {
  @Test(arguments: [
    "", "banana", "a\nb \"c\" \\ d", "ünï 藍色 👩‍🚀", "\"}]}", #"\"}]},"x":{"y":[{"z":""#, "\u{0}\u{1F}",
    String(repeating: "0123456789 \"quoted\"\n藍", count: 500),
    String(repeating: "x", count: 31) + "\"" + String(repeating: "y", count: 33),
  ])
  func `a text comes back as it was`(_ text: String) throws {
    let body = EntryBody.encode(.prompt(text))
    var entry = Entry(.prompt)
    let hasLargeTexts = try EntryBody.decode(body.span.bytes, into: &entry)
    #expect(!hasLargeTexts)
    #expect(entry.segments.count == 1)
    #expect(entry.text.utf8.elementsEqual(text.utf8))
  }

  @Test func `what only looks like a single text is read in full`() throws {
    let bodies: [(body: String, texts: [String])] = [
      (#"{"v":1,"segments":[{"text":"a"},{"text":"b"}]}"#, ["a", "b"]),
      (#"{"v":1,"segments":[{"text":"a","later":[{"x":"b"}]}]}"#, ["a"]),
      (#"{"v":1,"segments":[{"text":"a"}],"later":[{"x":"b"}]}"#, ["a"]),
      (#"{"v":1,"segments":[{"text": "a" }]}"#, ["a"]),
    ]
    for (body, texts) in bodies {
      var entry = Entry(.prompt)
      try EntryBody.decode(Array(body.utf8).span.bytes, into: &entry)
      #expect(entry.segments.compactMap(\.text) == texts, "\(body)")
    }
  }

  /// A blank in front has a body read by its grammar, where without it the frame is only compared.
  @Test(arguments: [
    #"{"text":"a"},{"attachment":0}"#, #"{"text":"a"},{"attachment":0},{"attachment":12}"#,
    #"{"text":"a"},{"attachment":1},{"text":"b"},{"attachment":0}"#,
    #"{"text":"\"},{\"attachment\":7}]}"},{"attachment":1e2}"#,
    #"{"text":"a\n藍"},{"text":"\t"}"#,
    #"{"text":"a"},{"attachment":0,"id":"x"}"#, #"{"text":"a"},{"id":"x","text":"b"}"#,
    #"{"text":"a"},{"attachment":-1}"#, #"{"text":"a"},{"structure":{"b":[{"c":1}]}}"#,
    #"{"text":"a"},{"attachment":99999999999999999999}"#, #"{"text":"a"},{"attachment":"0"}"#,
    #"{"text":"a"},{"attachment":0},"#, #"{"text":"a"},{"attachment":0}}"#, #"{"text":"a"},"#,
    #"{"text":"a"},{"attachment":0"#, #"{"text":"a"},{"text":"b"#, #"{"text":"a"#,
    #"{"text":"a"},{}"#,
  ])
  func `a frame that is compared gives what one that is parsed gives`(_ segments: String) {
    let body = #"{"v":1,"segments":["# + segments + "]}"
    func read(_ body: String) -> Result<[Entry.Segment], Refusal> {
      var entry = Entry(.prompt)
      do { try EntryBody.decode(Array(body.utf8).span.bytes, into: &entry) } catch {
        return .failure(Refusal())
      }
      return .success(entry.segments)
    }
    #expect(read(body) == read(" " + body))
  }

  private struct Refusal: Error, Equatable {}

  @Test func `a damaged text is refused`() {
    let frame = (head: Array(#"{"v":1,"segments":[{"text":"#.utf8), tail: Array("}]}".utf8))
    let damaged: [[UInt8]] = [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], Array(#""\x""#.utf8), Array(#""\u12""#.utf8),
      [0x22, 0x0A, 0x22], Array(#""a"#.utf8), [], Array(#""a" "b""#.utf8),
      Array("\"\\n".utf8) + [0xED, 0xA0, 0x80, 0x22],
    ]
    for text in damaged {
      var entry = Entry(.prompt)
      let body = frame.head + text + frame.tail
      #expect(throws: JSONError.self, "\(text)") {
        try EntryBody.decode(body.span.bytes, into: &entry)
      }
    }
  }
}
