import Keepsake
import Testing

@Suite struct `JSON reader and writer` {
  @Test func `a body is read member by member`() throws {
    let bytes = Array(
      #" { "v" : 1 , "te\u0078t":"a\nb","skip":[{"x":[1,2]},"]"],"n":null,"d":-1.5e1,"b":[true,false] } "#
        .utf8)
    var reader = JSONReader(bytes.span.bytes)
    var seen: [String] = []
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "v") {
        seen.append("v=\(try reader.int())")
      } else if reader.key(is: "text") {
        seen.append("text=\(try reader.string())")
      } else if reader.key(is: "n") {
        seen.append("n=\(try reader.null())")
      } else if reader.key(is: "d") {
        seen.append("d=\(try reader.double())")
      } else if reader.key(is: "b") {
        try reader.beginArray()
        while try reader.nextElement() { seen.append("b=\(try reader.bool())") }
      } else {
        let key = reader.key()
        let value = try reader.rawValue()
        seen.append("\(key)=\(value)")
      }
    }
    try reader.end()
    #expect(
      seen == [
        "v=1", "text=a\nb", #"skip=[{"x":[1,2]},"]"]"#, "n=true", "d=-15.0", "b=true", "b=false",
      ])
  }

  @Test func `a value of another kind is refused by name`() {
    expectError("[1]", "Not the JSON expected at byte 0: a string was expected.") { reader in
      _ = try reader.string()
    }
    expectError("\"1\"", "Not the JSON expected at byte 0: a number was expected.") { reader in
      _ = try reader.int()
    }
    expectError(
      "1.5", "Not the JSON expected at byte 0: the number is not a whole number of 64 bits."
    ) {
      reader in _ = try reader.int()
    }
    expectError("{}", "Not the JSON expected at byte 0: an array was expected.") { reader in
      try reader.beginArray()
    }
    expectError("0", "Not the JSON expected at byte 0: true or false was expected.") { reader in
      _ = try reader.bool()
    }
    expectError("1e999", "Not the JSON expected at byte 0: the number is too large for a double.") {
      reader in _ = try reader.double()
    }
  }

  @Test(arguments: [
    "{", "{,}", "{\"a\"}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\":1", "[1,]", "[,]", "[1 2]",
    "[1", "[1}", "{\"a\":1]", "[[1]", "{\"a\":{}", "{}x", "[]]", "{\"a\":01}", "", "[\"\\x\"]",
  ])
  func `step by step as strict as at once`(text: String) {
    #expect(throws: JSONError.self) { try JSON(validating: text) }
    let bytes = Array(text.utf8)
    var reader = JSONReader(bytes.span.bytes)
    #expect((try? walk(&reader)) == nil)
  }

  @Test func `a body may hold a value as deep as the limit`() throws {
    let deep = try JSON(
      validating: String(repeating: "[", count: JSON.depthLimit)
        + String(repeating: "]", count: JSON.depthLimit))
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("v")
    writer.raw(deep)
    writer.endObject()
    let bytes = writer.bytes
    var reader = JSONReader(bytes.span.bytes)
    try reader.beginObject()
    #expect(try reader.nextKey())
    #expect(try reader.rawValue() == deep)
    #expect(try !reader.nextKey())

    let open = [UInt8](repeating: UInt8(ascii: "["), count: 5_000)
    var deepReader = JSONReader(open.span.bytes)
    #expect((try? deepReader.skipValue()) == nil)
    var stepReader = JSONReader(open.span.bytes)
    var steps = 0
    while (try? stepReader.beginArray()) != nil { steps += 1 }
    #expect(steps == JSONReader.depthLimit)
  }

  @Test func `commas stand where they must`() throws {
    var writer = JSONWriter(reserving: 0)
    writer.beginArray()
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.endArray()
    writer.int(-7)
    try writer.double(0.1)
    try writer.double(1e300)
    writer.bool(true)
    writer.null()
    writer.string("é\u{1F}")
    writer.string("sub string".dropFirst(4))
    writer.beginObject()
    writer.key("a")
    writer.beginArray()
    writer.null()
    writer.endArray()
    writer.key(escaping: "b\"")
    writer.raw(.number(.max))
    writer.key("c")
    writer.bool(false)
    writer.endObject()
    writer.endArray()
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(
      text
        == #"[{},[],-7,0.1,1e+300,true,null,"é\u001f","string",{"a":[null],"b\"":9223372036854775807,"c":false}]"#
    )
    #expect(try JSON(validating: text).text == text)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `a number that JSON lacks is refused and nothing is written`(value: Double) throws {
    var writer = JSONWriter()
    writer.beginArray()
    writer.int(1)
    let error: JSONError?
    do throws(JSONError) {
      try writer.double(value)
      error = nil
    } catch let thrown { error = thrown }
    #expect(error?.message.contains("JSON has finite numbers only") == true)
    writer.endArray()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1]")
  }

  /// Among neighbours of what is special, over more than is looked at at once.
  @Test func `each escape is found at each place in a word`() throws {
    let filler = String(repeating: "!~ #[]", count: 24)
    func filled(_ count: Int) -> String { String(filler.prefix(count)) }
    for special in ["\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "藍", "😀"] {
      for before in 0..<140 {
        for after in [0, 1, 7, 8, 9, 31, 64] {
          let text = filled(before) + special + filled(after)
          let value = JSON.string(text)
          try #require(value.stringValue == text)
          try #require(try JSON(validating: value.bytes) == value)
        }
      }
    }
    for before in 0..<140 {
      for special in ["\u{0}", "\u{1F}", "\"", "\\ "] {
        let bytes = Array(("\"" + filled(before) + special + filled(70) + "\"").utf8)
        #expect(throws: JSONError.self) { try JSON(validating: bytes) }
      }
    }
  }

  private func expectError(
    _ text: String, _ message: String, _ body: (inout JSONReader) throws -> Void
  ) {
    let bytes = Array(text.utf8)
    var reader = JSONReader(bytes.span.bytes)
    do {
      try body(&reader)
      Issue.record("Nothing was thrown for \(text)")
    } catch {
      #expect((error as? JSONError)?.message == message)
    }
  }
}

/// Reads everything step by step, as a codec would.
func walk(_ reader: inout JSONReader) throws(JSONError) {
  try walkValue(&reader)
  try reader.end()
}

private func walkValue(_ reader: inout JSONReader) throws(JSONError) {
  switch try reader.nextKind() {
  case .object:
    try reader.beginObject()
    while try reader.nextKey() {
      _ = reader.key()
      try walkValue(&reader)
    }
  case .array:
    try reader.beginArray()
    while try reader.nextElement() { try walkValue(&reader) }
  case .string: _ = try reader.string()
  // Not `double()`: a number may be valid and beyond it.
  case .number: try reader.skipValue()
  case .bool: _ = try reader.bool()
  case .null: _ = try reader.null()
  }
}
