import Keepsake
import Testing

@Suite struct `JSON Pointers` {
  /// The document of RFC 6901, section 5.
  private let document = #"""
    {
      "foo": ["bar", "baz"],
      "": 0,
      "a/b": 1,
      "c%d": 2,
      "e^f": 3,
      "g|h": 4,
      "i\\j": 5,
      "k\"l": 6,
      " ": 7,
      "m~n": 8
    }
    """#

  @Test(arguments: [
    ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#), ("/", "0"),
    ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"),
    ("/ ", "7"), ("/m~0n", "8"),
  ])
  func `the cases of the RFC are found`(pointer: String, expected: String) throws {
    let value = try JSON(validating: document)
    #expect(try value.value(at: JSONPointer(pointer))?.text == expected)
    #expect(try JSONPointer(pointer).description == pointer)
  }

  @Test func `the empty pointer is the whole value`() throws {
    let value = try JSON(validating: document)
    #expect(try value.value(at: JSONPointer("")) == value)
    #expect(try JSONPointer("").tokens.isEmpty)
  }

  @Test(arguments: [
    "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/ 1", "/foo/", "/foo/1e0",
    "/foo/99999999999999999999", "/bar", "/foo/0/0", "//", "/foo/bar", "/FOO",
  ])
  func `a pointer that leads nowhere finds nothing`(pointer: String) throws {
    let value = try JSON(validating: document)
    #expect(try value.value(at: JSONPointer(pointer)) == nil)
  }

  @Test(arguments: [("foo", 0), (" /foo", 0), ("#/foo", 0), ("/~", 1), ("/a~2", 2), ("/a/~a", 3)])
  func `a malformed pointer is refused`(pointer: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONPointer(pointer) }
    #expect(error?.offset == offset)
    #expect(error?.message.hasPrefix("Not a JSON Pointer at byte \(offset): ") == true)
  }

  @Test func `tokens are escaped in the right order`() throws {
    #expect(try JSONPointer("/~01").tokens == ["~1"])
    let pointer = JSONPointer(tokens: []).appending("~1/").appending(3)
    #expect(pointer.description == "/~01~1/3")
    #expect(try JSONPointer(pointer.description) == pointer)
    #expect(JSONPointer(tokens: ["\u{E9}"]) != JSONPointer(tokens: ["e\u{301}"]))
  }
}
