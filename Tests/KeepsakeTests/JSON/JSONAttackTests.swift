import Testing

@testable import Keepsake

@Suite("JSON that is made to do harm")
struct JSONAttackTests {
  @Test(arguments: [513, 1_000_000])
  func `E7: what nests deeper than the limit is refused`(depth: Int) {
    for opening in ["[", #"{"a":"#] {
      let text = String(repeating: opening, count: depth)
      let error = #expect(throws: JSONError.self) { try JSON(validating: text) }
      #expect(error?.message.contains("512 levels") == true)
    }
  }

  @Test(arguments: [
    "NaN", "-NaN", "nan", "Infinity", "-Infinity", "inf", "+1", ".5", "5.", "0x10", "1e", "١٢",
    "１", "[1,]", "{\"a\":1,}", "'a'", "undefined", "True", "\"\\u00zz\"", "\"\\u12", "//x\n1",
  ])
  func `E7: what looks like JSON and is none is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON(validating: text) }
  }

  @Test
  func `E7: numbers of any size and length keep their bytes, and are never rounded to another`()
    throws
  {
    let long = String(repeating: "9", count: 100_000)
    for text in [long, "-\(long)", "0.\(long)", "1e400", "-1e400", "1e-400", "1e99999999999999999"]
    {
      let json = try JSON(validating: text)
      #expect(json.text == text)
      #expect(json.intValue == nil)
      #expect(json.doubleValue?.isFinite != false)
    }
    #expect(try JSON(validating: "9007199254740993").intValue == 9_007_199_254_740_993)
  }

  @Test func `E7: half of a surrogate pair keeps its bytes, and reads as U+FFFD`() throws {
    for (escape, read) in [
      (#"\ud800"#, "\u{FFFD}"), (#"\udc00"#, "\u{FFFD}"), (#"\ud800\ud800"#, "\u{FFFD}\u{FFFD}"),
      (#"\ud83c\udf4c"#, "\u{1F34C}"), (#"\udf4c\ud83c"#, "\u{FFFD}\u{FFFD}"),
      (#"\ud800x"#, "\u{FFFD}x"),
    ] {
      let text = #"{"a":"\#(escape)"}"#
      let json = try JSON(validating: text)
      #expect(json.text == text)
      #expect(json["a"]?.stringValue == read)
    }
  }

  @Test
  func `E7: bytes that are no UTF-8 are refused with their place, and so is a byte order mark`() {
    for bytes: [UInt8] in [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] {
      let error = #expect(throws: JSONError.self) {
        try JSON(validating: Array(#"["ab"#.utf8) + bytes + Array(#""]"#.utf8))
      }
      #expect(error?.offset == 4, "\(bytes)")
    }
    let marked = #expect(throws: JSONError.self) {
      try JSON(validating: [0xEF, 0xBB, 0xBF] + Array("{}".utf8))
    }
    #expect(marked?.message.contains("byte order mark") == true)
    for wide: [UInt8] in [[0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0, 0x31], [0x31, 0]] {
      #expect(throws: JSONError.self) { try JSON(validating: wide) }
    }
  }

  @Test func `E7: a NUL is kept where it is escaped, and refused where it is not`() throws {
    let json = try JSON(validating: #"{"a\u0000b":"x\u0000y"}"#)
    #expect(json["a\0b"]?.stringValue == "x\0y")
    #expect(throws: JSONError.self) { try JSON(validating: "{\"a\":\"x\0y\"}") }
    #expect(throws: JSONError.self) { try JSON(validating: "[1]\0") }
  }

  @Test func `E7: of a key that comes twice all readers take the first, and entries take none`()
    throws
  {
    let twice = try JSON(validating: #"{"a":1,"__proto__":{"a":2},"\u0061":3}"#)
    #expect(twice["a"]?.intValue == 1)
    #expect(twice["__proto__"]?["a"]?.intValue == 2)
    #expect(twice.members?.map(\.key) == ["a", "__proto__", "a"])
    let good = #"{"kind":"prompt","text":"one"}"#
    #expect(try Entry(json: JSON(validating: good)).text == "one")
    for bad in [
      #"{"kind":"prompt","text":"one","text":"two"}"#,
      #"{"kind":"prompt","kind":"response","text":"one"}"#,
      #"{"kind":"prompt","text":"one","\u0074ext":"two"}"#,
      #"{"kind":"prompt","segments":[{"text":"one","text":"two"}]}"#,
    ] {
      let error = #expect(throws: KeepsakeError.self) { try Entry(json: JSON(validating: bad)) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("twice") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `E7: an entry with hostile metadata is given back to the byte`() async throws {
    let texts = [
      #"{"__proto__":{"a":1},"constructor":{"prototype":1}}"#, #"{"a":1,"a":2,"\u0061":3}"#,
      #"{"a":"\ud800","b":"\u0000","c":1e400,"d":-0.0,"e":1.50}"#,
      #"{"a":\#(String(repeating: "[", count: 500) + String(repeating: "]", count: 500))}"#,
      #"{"\#(String(repeating: "k", count: 100_000))":\#(String(repeating: "7", count: 100_000))}"#,
    ]
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for text in texts {
        var entry = Entry.prompt("x")
        entry.metadata = try JSON(validating: text)
        try await session.append(entry)
      }
      #expect(try await session.entries.all().map { $0.metadata?.text } == texts)
      #expect(try await store.verify().isSound)
    }
  }

  @Test(arguments: [
    (
      #"{"v":1,"segments":[{"text":"a"},{"text":"b"}],"callID":"c","toolCalls":[{"id":"1"}]}"#, true
    ),
    (#"{"v":1,"segments":[{"text":"a"}],"metadata":{"x":1,"x":2}}"#, true),
    (#"{"v":1,"segments":[{"text":"a"},{"attachment":0},{"text":"b"}]}"#, true),
    (#"{"v":1,"segments":[{"text":"a"},{"text":"b","text":"c"}]}"#, false),
    (#"{"v":1,"segments":[{"text":"a"},{"attachment":0,"attachment":1}]}"#, false),
    (#"{"v":1,"segments":[{"text":"a"}],"segments":[{"text":"b"}]}"#, false),
    (#"{"v":1,"segments":[{"text":"a","text":"b"}]}"#, false),
    (#"{"v":1,"toolCalls":[{"id":"1","tool":"a","tool":"b"}]}"#, false),
    (#"{"v":1,"callID":"a","\u0063allID":"b"}"#, false),
  ])
  func `E7: a body from elsewhere has each of its members once`(body: String, isRight: Bool) {
    let bytes = Array(body.utf8)
    var refusal: KeepsakeError?
    var entry = Entry(.unknown)
    do { try EntryBody.decodeStrictly(bytes.span.bytes, into: &entry) } catch let error
      as KeepsakeError
    { refusal = error } catch { Issue.record(error) }
    #expect((refusal == nil) == isRight)
    #expect(refusal?.message.contains("comes twice") != false)
  }
}
