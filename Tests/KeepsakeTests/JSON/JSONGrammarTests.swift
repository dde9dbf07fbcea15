import Keepsake
import Testing

/// What RFC 8259 accepts and refuses, by the categories of JSONTestSuite.
@Suite struct `JSON grammar` {
  @Test(arguments: [
    // structure
    "{}", "[]", "[[]]", "{\"a\":{}}", "[{},[],{}]", " \t\r\n[ ] \n", "[1,2,3]", "[1 , 2]",
    "{\"a\":1,\"b\":2}", "{\"a\":1,\"a\":2}", "{\"\":0}", "{\"a\" : [ null , true,false ] }",
    "\"lonely\"", "true", "false", "null", "7", " 7 ",
    // numbers
    "0", "-0", "1", "-1", "10", "123456789012345678901234567890", "0.0", "0.5", "-0.5", "1.25",
    "1e5", "1E5", "1e+5", "1e-5", "0e1", "0.0e-0", "1.5E+10", "1e999", "-1e-999", "20", "1e05",
    // strings
    #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9""#, #""\u00E9""#,
    #""\uD83D\uDE00""#, #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#,
    #""\uFFFF""#, "\"\u{7F}\"", "\"é\"", "\"藍色\"", "\"😀\"", "\"\u{2028}\u{2029}\"",
    "\"\u{10FFFF}\"", "\"\u{FFFE}\"", "\"a/b\"", "\"12345678\"", "\"1234567\"", "\"123456789\"",
  ])
  func `a valid text is kept as it is`(text: String) throws {
    let value = try JSON(validating: text)
    #expect(value.text == trimmed(text))
    #expect(try JSON(validating: Array(text.utf8)) == value)
    #expect(try JSON(validating: "[\(text)]")[0] == value)
  }

  @Test(arguments: [
    // structure
    "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1}",
    "{]", "{1:1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\",1}", "{\"a\":1 \"b\":2}",
    "{\"a\"::1}", "{'a':1}", "{a:1}", "[]]", "{}}", "[] []", "1 2", "[1]x", "{\"a\":1", "[\"a\"",
    "[\u{0C}]", "[\u{A0}]", "[\u{0B}]", "\u{FEFF}[]", "/* */[]", "[1]//", "<x>", "[\0]", "\0",
    // literals
    "t", "tru", "True", "TRUE", "nul", "nulls", "undefined", "fals", "truefalse", "[nul]",
    // numbers
    "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1e", "1e+", "1E-", "1.e5", "1.5e", "0x10",
    "1_000", "NaN", "Infinity", "-Infinity", "1,000", "--1", "1-", "0.1.2", "1e5.5", "[-]", "1e1e1",
    "１", "[1.]", "2.e+3",
    // strings
    "\"", "\"a", "\"\\\"", "\"\\", #""\a""#, #""\x41""#, #""\u""#, #""\u00""#, #""\u00G0""#,
    #""\u12""#, #""\U0041""#, "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1F}\"", "'a'", "\"a\"b",
    "\"1234567\n\"", "\"12345678\u{01}\"", "\"\\\n\"",
  ])
  func `a text that is not one JSON value is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON(validating: text) }
    #expect(throws: JSONError.self) { try JSON(validating: Array(text.utf8)) }
  }

  @Test(
    arguments: [
      ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3], 0),
      ([0xC3, 0x28], 0),
      ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0), ([0xE2, 0x82], 0), ([0xE2, 0x28, 0xA1], 0),
      ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0), ([0xF0, 0x80, 0x80, 0x80], 0),
      ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xF0, 0x9F, 0x98], 0), ([0xF4, 0x90, 0x80, 0x80], 0),
      ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFE], 0), ([0xFF], 0), ([0xC3, 0xA9, 0xFF], 2),
      ([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xE2, 0x82, 0xAC, 0x80], 12),
      ([0xE8, 0x97, 0x8D, 0xE8, 0x97], 3), ([0xC3, 0xA9, 0x61, 0xC3, 0xA9, 0xED, 0xA0, 0x80], 5),
    ] as [([UInt8], Int)])
  func `bytes that are not UTF-8 are refused at their offset`(bytes: [UInt8], offset: Int) throws {
    let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    let error = #expect(throws: JSONError.self) { try JSON(validating: text) }
    #expect(error?.offset == offset + 1)
    #expect(error?.message.contains("UTF-8") == true)

    var reader = JSONReader(text.span.bytes)
    let readError: JSONError?
    do throws(JSONError) {
      _ = try reader.string()
      readError = nil
    } catch { readError = error }
    #expect(readError == error)
  }

  @Test(arguments: ["a", "é", "藍", "😀"])
  func `a fault is found wherever it stands in a word`(filler: String) throws {
    let faults: [[UInt8]] =
      (0..<0x20).map { [$0] } + [
        [0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF4, 0x90, 0x80, 0x80], [0xFF], Array("\\x".utf8), Array("\\u12G4".utf8),
      ]
    let filler = Array(filler.utf8)
    for (before, after) in (0..<12).flatMap({ before in [0, 1, 9].map { (before, $0) } }) {
      // One character before the fault or two: those of three bytes are checked in pairs.
      let prefix =
        [UInt8](repeating: UInt8(ascii: "-"), count: before)
        + Array(repeating: filler, count: 1 + before % 2).joined()
      let suffix = Array(repeating: filler, count: after).joined()
      for fault in faults {
        for escape in [[], Array("\\n".utf8)] {
          let bytes = [0x22] + escape + prefix + fault + suffix + [0x22]
          let validating = Result { try JSON(validating: bytes) }
          let reading = Result {
            var reader = JSONReader(bytes.span.bytes)
            return try reader.string()
          }
          guard case .failure(let first) = validating, case .failure(let second) = reading,
            let first = first as? JSONError, let second = second as? JSONError, first == second,
            first.offset - 1 - escape.count - prefix.count < fault.count,
            first.offset - 1 - escape.count - prefix.count >= 0
          else {
            Issue.record("\(bytes): \(validating), \(reading)")
            continue
          }
        }
      }
    }
  }

  @Test func `every scalar is UTF-8 and every byte pair is judged as the standard library does`() {
    for start in stride(from: UInt32(0x20), through: 0x10FFFF, by: 256) {
      var text = String.UnicodeScalarView()
      for value in start..<min(start + 256, 0x110000) {
        guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
        text.append(scalar)
      }
      let bytes = [0x22] + Array(String(text).utf8) + [0x22]
      if (try? JSON(validating: bytes)) == nil { Issue.record("one from U+\(start) was refused") }
    }
    for first in UInt8(0x80)...0xFF {
      for second in UInt8(0x80)...0xFF {
        for rest in [[], [0x80], [0xBF, 0x80]] as [[UInt8]] {
          let bytes = [first, second] + rest
          let isValid = String(validating: bytes, as: UTF8.self) != nil
          if ((try? JSON(validating: [0x22] + bytes + [0x22])) != nil) != isValid {
            Issue.record("\(bytes) was judged wrongly")
          }
        }
      }
    }
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
  func `nesting is accepted up to the limit`(opening: String) throws {
    let closing = String(opening.reversed().compactMap { ["[": "]", "{": "}"][$0] })
    let levels = JSON.depthLimit / closing.count
    func nested(_ levels: Int) -> String {
      String(repeating: opening, count: levels) + "1" + String(repeating: closing, count: levels)
    }
    #expect(try JSON(validating: nested(levels)).depth == JSON.depthLimit)
    let error = #expect(throws: JSONError.self) { try JSON(validating: nested(levels + 1)) }
    #expect(error?.message.contains("512 levels") == true)
  }

  @Test func `a million open brackets are refused`() {
    let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    let error = #expect(throws: JSONError.self) { try JSON(validating: bytes) }
    #expect(error?.offset == JSON.depthLimit)
  }

  @Test(arguments: [
    ("{\"a\":tru}", "Not valid JSON at byte 8: a value was expected"),
    ("[1,2", "Not valid JSON at byte 4: the text ends in the middle of a value"),
    ("[1] 2", "Not valid JSON at byte 4: something follows the value"),
    ("\u{FEFF}{}", "Not valid JSON at byte 0: a byte order mark"),
    ("[01]", "Not valid JSON at byte 1: a number can't begin with a superfluous zero"),
    ("{\"a\" 1}", "Not valid JSON at byte 5: ':' was expected"),
    ("[\"a\nb\"]", "Not valid JSON at byte 3: a control character"),
  ])
  func `an error says what is wrong and where`(text: String, message: String) {
    let error = #expect(throws: JSONError.self) { try JSON(validating: text) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "nothing")")
  }
}

private func trimmed(_ text: String) -> String {
  let space: Set<Unicode.Scalar> = [" ", "\t", "\r", "\n"]
  let start = text.unicodeScalars.drop { space.contains($0) }
  return String(String.UnicodeScalarView(start.reversed().drop { space.contains($0) }.reversed()))
}
