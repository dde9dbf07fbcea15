import KeepsakeHTTP
import Testing

/// C7: parts of a content.
@Suite struct `A range` {
  @Test(arguments: [
    ("bytes=0-", HTTPRange.part(0..<10)), ("bytes=0-0", .part(0..<1)), ("bytes=9-9", .part(9..<10)),
    ("bytes=3-100", .part(3..<10)), ("bytes=-5", .part(5..<10)), ("bytes=-50", .part(0..<10)),
    ("BYTES=1-2", .part(1..<3)), ("bytes= 0-1", .part(0..<2)), ("bytes=10-", .unsatisfiable),
    ("bytes=18446744073709551615-", .unsatisfiable), ("bytes=9223372036854775807-", .unsatisfiable),
    ("bytes=0-18446744073709551615", .part(0..<10)), ("bytes=-0", .unsatisfiable),
    ("bytes=-18446744073709551615", .part(0..<10)), ("bytes=5-2", .whole),
    ("bytes=0-0,2-3", .whole),
    ("items=0-1", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
    ("bytes=1-2-3", .whole), ("bytes 0-1", .whole), ("bytes=+1-2", .whole), ("bytes=0 - 1", .whole),
    ("", .whole), ("bytes=--1", .whole),
  ]) func `is read by the rules`(text: String, range: HTTPRange) {
    #expect(HTTPRange(["Range": text], size: 10, tag: nil) == range)
  }

  @Test func `of nothing is never there`() {
    for text in ["bytes=0-", "bytes=-5", "bytes=0-0"] {
      #expect(HTTPRange(["Range": text], size: 0, tag: nil) == .unsatisfiable)
    }
  }

  @Test func `C7 of a thousand that overlap is the whole`() {
    let text = "bytes=" + (0..<1000).map { "\($0)-\($0 + 1)" }.joined(separator: ",")
    #expect(HTTPRange(["Range": text], size: 2000, tag: nil) == .whole)
  }

  @Test(arguments: [
    ("\"a\"", HTTPRange.part(1..<3)), ("\"b\"", .whole), ("W/\"a\"", .whole), ("*", .whole),
    ("Sun, 06 Nov 1994 08:49:37 GMT", .whole), ("a", .whole),
  ]) func `is for one version alone, where the client says so`(condition: String, range: HTTPRange)
  {
    let fields: HTTPFields = ["Range": "bytes=1-2", "If-Range": condition]
    #expect(HTTPRange(fields, size: 10, tag: HTTPTag("a")) == range)
    #expect(HTTPRange(fields, size: 10, tag: nil) == .whole)
  }
}

@Suite struct `A content` {
  private let content = HTTPContent(
    .bytes(Array("0123456789".utf8)), tag: HTTPTag("a"), fields: ["Content-Type": "text/plain"])

  private func response(_ fields: String) throws -> HTTPResponse {
    let head = try #require(Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").head)
    return content.response(to: head)
  }

  @Test func `is given whole, in part, or not at all`() throws {
    let whole = try response("")
    #expect(whole.status == .ok && whole.fields["ETag"] == "\"a\"")
    #expect(whole.fields["Accept-Ranges"] == "bytes")
    let part = try response("Range: bytes=2-4\r\n")
    #expect(part.status == .partialContent && part.fields["Content-Range"] == "bytes 2-4/10")
    guard case .bytes(let bytes) = part.body else { throw RawClient.Late() }
    #expect(bytes == Array("234".utf8))
    let none = try response("Range: bytes=10-\r\n")
    #expect(none.status == .rangeNotSatisfiable && none.fields["Content-Range"] == "bytes */10")
  }

  /// C8: what the client has already.
  @Test(arguments: [
    ("\"a\"", 304), ("W/\"a\"", 304), ("\"b\", \"a\"", 304), ("*", 304), ("\"a-gzip\"", 304),
    ("\"b\"", 200), ("a", 200), ("\"a", 200), ("", 200), (", ,\"a\"", 304), ("\"b\" \"a\"", 200),
    ("\"a,b\",\"a\"", 304), ("junk, \"a\"", 200),
  ]) func `C8 is not sent again`(tags: String, status: Int) throws {
    #expect(try response("If-None-Match: \(tags)\r\n").status.code == status)
  }

  @Test func `C8 is not held up by ten thousand tags, or by a date that is none`() throws {
    let tags = (0..<10_000).map { "\"t\($0)\"" }.joined(separator: ", ")
    let head = HTTPContent(.bytes([]), tag: HTTPTag("t9999"), fields: [:])
    var limits = HTTPLimits()
    limits.headBytes = 1 << 20
    let text = "GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tags)\r\n\r\n"
    let request = try #require(Parsed(Array(text.utf8), limits: limits).head)
    #expect(head.response(to: request).status == .notModified)
    #expect(try response("If-Modified-Since: never\r\n").status == .ok)
  }

  @Test func `is refused where another version is wanted`() throws {
    #expect(try response("If-Match: \"b\"\r\n").status == .preconditionFailed)
    #expect(try response("If-Match: W/\"a\"\r\n").status == .preconditionFailed)
    #expect(try response("If-Match: \"b\", \"a\"\r\n").status == .ok)
    #expect(try response("If-Match: *\r\n").status == .ok)
  }
}
