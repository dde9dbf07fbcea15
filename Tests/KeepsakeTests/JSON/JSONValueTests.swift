import Foundation
import Keepsake
import Testing

@Suite struct `JSON values` {
  private let sample =
    #"{"b":1.50,"a":[true,null,"x\u00e9\n"],"b":2,"\u006b":{"deep":[[7]]},"big":922337203685477580}"#

  @Test func `members keep their order and repeated keys`() throws {
    let value = try JSON(validating: sample)
    let members = try #require(value.members)
    #expect(members.map(\.key) == ["b", "a", "b", "k", "big"])
    #expect(members.map(\.value.text).first == "1.50")
    #expect(value["b"]?.text == "1.50")
    #expect(value["k"]?["deep"]?[0]?[0]?.intValue == 7)
    #expect(value["c"] == nil)
    #expect(value[0] == nil)
  }

  @Test func `elements are found by index`() throws {
    let value = try JSON(validating: "[1, [2], \"3\"]")
    let elements = try #require(value.arrayValue)
    #expect(elements.map(\.text) == ["1", "[2]", "\"3\""])
    #expect(value[2]?.stringValue == "3")
    #expect(value[3] == nil)
    #expect(value[-1] == nil)
    #expect(value["0"] == nil)
    #expect(value.members == nil)
  }

  @Test func `a value reads as its own kind only`() throws {
    for (text, kind) in [
      ("{}", .object), ("[]", .array), ("\"1\"", .string), ("1", .number), ("true", .bool),
      ("null", .null),
    ] as [(String, JSON.Kind)] {
      let value = try JSON(validating: text)
      #expect(value.kind == kind)
      #expect((value.members != nil) == (kind == .object))
      #expect((value.arrayValue != nil) == (kind == .array))
      #expect((value.stringValue != nil) == (kind == .string))
      #expect((value.intValue != nil) == (kind == .number))
      #expect((value.doubleValue != nil) == (kind == .number))
      #expect((value.boolValue != nil) == (kind == .bool))
      #expect(value.isNull == (kind == .null))
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("100", 100), ("1e2", 100), ("100.00", 100), ("-1.5e1", -15),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
      ("-9223372036854775809", nil), ("1.5", nil), ("1e19", nil), ("1e-1", nil), ("0e999999", 0),
      ("1e99999999999999999999999", nil), ("92233720368547758070e-1", .max), ("0.001e3", 1),
      ("-9223372036854775808.0", .min), ("9223372036854775808.0", nil),
      ("1e18", 1_000_000_000_000_000_000),
    ] as [(String, Int64?)])
  func `a whole number is one in any spelling`(text: String, expected: Int64?) throws {
    #expect(try JSON(validating: text).intValue == expected)
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("-1e-7", -1e-7), ("5e-324", .leastNonzeroMagnitude), ("1e999", nil),
      ("1e-999", 0),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("123456789012345678901234567890", 1.2345678901234568e29),
    ] as [(String, Double?)])
  func `a double is the nearest one, or none`(text: String, expected: Double?) throws {
    #expect(try JSON(validating: text).doubleValue == expected)
  }

  @Test(arguments: [
    (#""\u0041\n\t\"\\\/\b\f\r""#, "A\n\t\"\\/\u{08}\u{0C}\r"), (#""\uD83D\uDE00!""#, "😀!"),
    (#""\ud800""#, "\u{FFFD}"), (#""\udc00x""#, "\u{FFFD}x"), (#""\ud800\u0041""#, "\u{FFFD}A"),
    (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"), (#""\u0000""#, "\0"),
    (#""藍\u8272 plain text""#, "藍色 plain text"),
    (#""\ud800\n""#, "\u{FFFD}\n"),
  ])
  func `escapes are decoded and stay in the text`(text: String, expected: String) throws {
    let value = try JSON(validating: text)
    let decoded = try #require(value.stringValue)
    #expect(Array(decoded.utf8) == Array(expected.utf8))
    #expect(value.text == text)
  }

  @Test func `parts are put together without changing their text`() throws {
    let raw = try JSON(validating: "{ \"z\" : 1.0, \"a\":\"\\u0041\" }")
    let value = JSON.object([
      ("k\"ey\n", .array([.null, .bool(true), .bool(false), .number(.min), .number(0)])),
      ("raw", raw),
      ("text", .string("\u{01}é\"\\/\n\u{7F}")), ("empty", .array([])), ("none", .object([])),
    ])
    #expect(
      value.text
        == #"{"k\"ey\n":[null,true,false,-9223372036854775808,0],"#
        + #""raw":{ "z" : 1.0, "a":"\u0041" },"#
        + #""text":"\u0001é\"\\/\n"# + "\u{7F}" + #"","empty":[],"none":{}}"#)
    #expect(try JSON(validating: value.text) == value)
    #expect(value["k\"ey\n"]?[3]?.intValue == .min)
  }

  @Test func `minifying removes white space outside strings only`() throws {
    let value = try JSON(
      validating: " { \"a b\" :\t[ 1 ,\r\n 2.0e+1 , \" \\\" [ \" ] , \"c\":{ } }\n")
    #expect(value.minified.text == #"{"a b":[1,2.0e+1," \" [ "],"c":{}}"#)
    #expect(value.minified.minified == value.minified)
    #expect(value.minified.isEquivalent(to: value))
    #expect(try JSON(validating: "\"  a  \"").minified.text == "\"  a  \"")
  }

  @Test func `a value that was built too deep still reads, and is not taken in again`() throws {
    var value = JSON.number(1)
    for _ in 0..<2_000 { value = .array([value]) }
    #expect(value.depth == 2_000)
    #expect(value[0]?.depth == 1_999)
    #expect(value.isEquivalent(to: value.minified))
    #expect(throws: JSONError.self) { try JSON(validating: value.text) }
  }

  @Test func `coding keeps the text`() throws {
    let value = try JSON(validating: "{\"b\": 1.0, \"a\": \"\\u0041\"}")
    let data = try JSONEncoder().encode([value])
    #expect(try JSONDecoder().decode([JSON].self, from: data) == [value])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([JSON].self, from: Data("[\"{\"]".utf8))
    }
  }
}

@Suite struct `JSON equality` {
  @Test(arguments: [
    ("1", "1.0"), ("1e2", "100"), ("100e-2", "1"), ("-0", "0"), ("0e5", "0.000"),
    ("1E400", "10e399"),
    ("0.00012", "12e-5"), ("12345678901234567890123", "1.2345678901234567890123e22"),
    ("\"\\u0041\"", "\"A\""), ("\"\\/\"", "\"/\""), ("\"\\ud83d\\ude00\"", "\"😀\""),
    ("{\"a\":1,\"b\":[2]}", "{ \"b\" : [ 2.0 ], \"a\" : 1 }"), ("{\"\\u0061\":1}", "{\"a\":1}"),
    ("{\"a\":1,\"b\":0,\"a\":2}", "{\"b\":0,\"a\":1,\"a\":2}"), ("[]", "[ ]"),
    ("[[1],{}]", "[[1e0], {}]"),
    ("1e99999999999999999999", "1e99999999999999999999"),
  ])
  func `texts that mean the same are equivalent`(left: String, right: String) throws {
    let (left, right) = (try JSON(validating: left), try JSON(validating: right))
    #expect(left.isEquivalent(to: right))
    #expect(right.isEquivalent(to: left))
    #expect((left == right) == (left.text.utf8.elementsEqual(right.text.utf8)))
  }

  @Test(arguments: [
    ("1", "2"), ("1", "-1"), ("1", "10"), ("1", "\"1\""), ("0.1", "0.10000000000000000001"),
    ("1e400", "1e401"),
    ("9007199254740993", "9007199254740992"), ("\"\u{E9}\"", "\"e\u{301}\""), ("\"a\"", "\"A\""),
    ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"), ("{\"a\":1}", "{\"a\":1,\"b\":1}"),
    ("{\"a\":1}", "{\"b\":1}"),
    ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}"), ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("[]", "{}"),
    ("true", "false"),
    ("null", "false"), ("[[1]]", "[[2]]"), ("1e99999999999999999999", "10e99999999999999999998"),
    ("0", "1"),
  ])
  func `texts that mean different things are not`(left: String, right: String) throws {
    let (left, right) = (try JSON(validating: left), try JSON(validating: right))
    #expect(!left.isEquivalent(to: right))
    #expect(!right.isEquivalent(to: left))
    #expect(left != right)
  }

  @Test func `equality and hash are those of the bytes`() throws {
    let composed = try JSON(validating: "\"\u{E9}\"")
    let decomposed = try JSON(validating: "\"e\u{301}\"")
    #expect(composed.text == decomposed.text)  // Swift merges them
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(try JSON(validating: " [1] ").hashValue == JSON(validating: "[1]").hashValue)
  }
}
