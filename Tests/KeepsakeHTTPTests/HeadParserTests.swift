import KeepsakeHTTP
import Testing

/// The result of parsing, for comparisons.
enum Parsed: Equatable {
  case head(HTTPRequestHead, length: Int)
  case refused(Int)
  case incomplete

  /// Parses bytes that come in pieces, which end at the given places.
  init(_ bytes: [UInt8], cutAt cuts: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
    var parser = HeadParser(limits: limits)
    for end in cuts + [bytes.count] {
      do throws(HTTPRefusal) {
        if let (head, length) = try parser.read(Array(bytes[..<end])) {
          self = .head(head, length: length)
          return
        }
      } catch {
        self = .refused(error.status.code)
        return
      }
    }
    self = .incomplete
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  var head: HTTPRequestHead? { if case .head(let head, _) = self { head } else { nil } }
  var status: Int? { if case .refused(let status) = self { status } else { nil } }
}

@Suite struct `The parser of heads` {
  @Test func `reads the parts of a request`() throws {
    let text =
      "POST /a%20b/%C3%BC/?q=x+y%26z&empty&=v HTTP/1.1\r\nHost: LocalHost:8080\r\n"
      + "content-LENGTH: 5\r\nX-A: 1\r\nx-a:\t 2 \t\r\n\r\nhello"
    let head = try #require(Parsed(text).head)
    #expect(head.method == .post)
    #expect(head.path == ["a b", "ü", ""])
    #expect(head.query.map(\.name) == ["q", "empty", ""])
    #expect(head.query("q") == "x y&z")
    #expect(head.query("empty") == "")
    #expect(head.query("none") == nil)
    #expect(head.authority == HTTPAuthority(host: "localhost", port: 8080))
    #expect(head.contentLength == 5)
    #expect(head.fields["X-a"] == "1, 2")
    #expect(head.fields.values(of: "X-A") == ["1", "2"])
    #expect(Parsed(text) == .head(head, length: text.utf8.count - 5))
  }

  @Test(arguments: [
    ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Bb+c", ["a+b+c"]),
    ("/%252e%252e", ["%2e%2e"]), ("/...", ["..."]), ("/a?b/../c", ["a"]), ("/C:%5Cx", ["C:\\x"]),
  ]) func `decodes a path once`(target: String, path: [String]) {
    #expect(Parsed("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").head?.path == path)
  }

  @Test func `gives HEAD as GET without a body`() throws {
    let head = try #require(Parsed("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").head)
    #expect(head.method == .get && head.isHeadOnly)
  }

  /// C1: requests whose body could have two sizes.
  @Test(arguments: [
    ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501),
    ("Transfer-Encoding: chunked, identity\r\n", 501), ("Transfer-Encoding: xchunked\r\n", 501),
    ("Transfer-Encoding: \r\n", 501), ("Content-Length: 5\r\nContent-Length: 6\r\n", 400),
    ("Content-Length: 5\r\nContent-Length: 5\r\n", 400), ("Content-Length: +5\r\n", 400),
    ("Content-Length: -1\r\n", 400), ("Content-Length: 0x5\r\n", 400),
    ("Content-Length: 99999999999999999999\r\n", 400), ("Content-Length: 5, 5\r\n", 400),
    ("Content-Length: 5 5\r\n", 400), ("Content-Length: \r\n", 400), ("Content-Length: ٥\r\n", 400),
    ("Content-Encoding: gzip\r\nContent-Length: 5\r\n", 415),
  ]) func `C1 refuses a size that can be read in two ways`(fields: String, status: Int) {
    #expect(Parsed("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\nhello").status == status)
  }

  @Test func `C1 refuses a body of GET`() {
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n").status == 400)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").head != nil)
  }

  /// C2: lines and fields that are malformed.
  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc: d\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: b\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\tfolded\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX\u{1}: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n",
    "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nnone\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX(Y): b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nÜ: b\r\n\r\n",
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
  ]) func `C2 refuses malformed lines`(text: String) {
    #expect(Parsed(text).status == 400, "\(text.debugDescription)")
  }

  /// C3: first lines that are malformed.
  @Test(arguments: [
    ("GET  / HTTP/1.1", 400), ("GET /  HTTP/1.1", 400), ("GET\t/\tHTTP/1.1", 400), ("GET /", 400),
    ("GET / HTTP/0.9", 505), ("GET / HTTP/9.9", 505), ("GET / HTTP/1.2", 505),
    ("GET / HTTP/2.0", 505),
    ("GET / http/1.1", 400), ("GET / HTTP/1.1 ", 400), (" GET / HTTP/1.1", 400),
    ("get / HTTP/1.1", 400),
    ("GET / HTTP/11", 400), ("GET / HTTP/1.10", 400), ("/ HTTP/1.1", 400),
    ("GET http://a/ HTTP/1.1", 400),
    ("GET a HTTP/1.1", 400), ("GET * HTTP/1.1", 400), ("OPTIONS * HTTP/1.1", 400),
    ("CONNECT a:1 HTTP/1.1", 501), ("TRACE / HTTP/1.1", 501), ("PROPFIND / HTTP/1.1", 501),
    ("G(T / HTTP/1.1", 400), ("GET /#a HTTP/1.1", 400), ("GET /ü HTTP/1.1", 400),
    ("GET /% HTTP/1.1", 400), ("GET /%1 HTTP/1.1", 400), ("GET /%zz HTTP/1.1", 400),
    ("GET /%00 HTTP/1.1", 400), ("GET /a%2fb HTTP/1.1", 400), ("GET /a/../b HTTP/1.1", 400),
    ("GET /%2e%2E/b HTTP/1.1", 400), ("GET /./b HTTP/1.1", 400), ("GET /.%2e HTTP/1.1", 400),
    ("GET /%C0%AF HTTP/1.1", 400), ("GET /%FF HTTP/1.1", 400), ("GET /?a=%00 HTTP/1.1", 400),
    ("GET /?a=% HTTP/1.1", 400), ("GET /<a> HTTP/1.1", 400), ("", 400),
  ]) func `C3 refuses malformed first lines`(line: String, status: Int) {
    #expect(Parsed("\(line)\r\nHost: a\r\n\r\n").status == status, "\(line.debugDescription)")
  }

  /// C3 and C4: what is too large is refused before all of it is there.
  @Test func `C3 and C4 refuse what is too large, without its end`() {
    let long = String(repeating: "a", count: 70_000)
    #expect(Parsed("GET /\(long)").status == 414)
    #expect(Parsed("GET /\(long.prefix(8191)) HTTP/1.1\r\nHost: a\r\n\r\n").head != nil)
    #expect(Parsed("GET /\(long.prefix(8192)) HTTP/1.1\r\nHost: a\r\n\r\n").status == 414)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)").status == 431)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\nCookie: \(long.prefix(16_384))").status == 431)
    let many = String(repeating: "X: y\r\n", count: 5000)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(many)").status == 431)
    let some = String(repeating: "X: y\r\n", count: 99)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(some)\r\n").head?.fields.all.count == 100)
    #expect(Parsed("GET / HTTP/1.1\r\nHost: a\r\n\(some)X: y\r\n\r\n").status == 431)
  }

  /// B1: names of the server that no client has a reason to say.
  @Test(arguments: [
    "", "Host:\r\n", "Host: a\r\nHost: a\r\n", "Host: a\r\nHOST: b\r\n", "Host: u@a\r\n",
    "Host: a:\r\n", "Host: a:b\r\n", "Host: a:99999\r\n", "Host: a b\r\n", "Host: a/b\r\n",
    "Host: [::1\r\n", "Host: ::1\r\n", "Host: [::1]x\r\n", "Host: a,b\r\n", "Host: ä\r\n",
    "Host: [g]\r\n", "Host: a:1:2\r\n",
  ]) func `B1 refuses a malformed Host`(host: String) {
    #expect(Parsed("GET / HTTP/1.1\r\n\(host)\r\n").status == 400, "\(host)")
  }

  @Test(arguments: ["Host", "Content-Type", "Authorization", "Origin", "Cookie", "Range", "Expect"])
  func `refuses two fields where one is meant`(name: String) {
    let text =
      "POST / HTTP/1.1\r\nHost: a\r\n\(name): 100-continue\r\n\(name.uppercased()): 100-continue\r\n\r\n"
    #expect(Parsed(text).status == 400)
  }

  @Test func `expects nothing but the permission to send`() {
    #expect(Parsed("POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n").status == 417)
    #expect(Parsed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n").head != nil)
  }
}
