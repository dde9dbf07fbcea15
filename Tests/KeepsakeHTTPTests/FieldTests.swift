import Foundation
import KeepsakeHTTP
import Testing

@Suite struct `Times of HTTP` {
  @Test func `are what Foundation says of the same seconds`() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    var times: [Int64] = [
      0, 86_399, 951_782_399, 951_782_400, 951_868_800, 4_107_542_400, 253_402_300_799,
    ]
    var random = SeededRandom(7)
    times += (0..<2000).map { _ in Int64.random(in: 0...253_402_300_799, using: &random) }
    for time in times {
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(time)))
      #expect(HTTPDate.text(time) == text)
      #expect(HTTPDate.seconds(text) == time)
    }
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994 08:49:37", "Mon, 06 Nov 1994 08:49:37 GMT",
    "Sun, 30 Feb 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 99 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT",
  ]) func `are read as they are written, and no other way`(text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }
}

@Suite struct `Cookies` {
  @Test func `are found by their whole names, all of them`() {
    let fields: HTTPFields = ["Cookie": "a=1; ab=2;a=\"3\"; b; =4; a=x y"]
    #expect(HTTPCookie.values(of: "a", in: fields) == ["1", "3"])
    #expect(HTTPCookie.values(of: "b", in: fields) == [])
    #expect(HTTPCookie.values(of: "A", in: fields) == [])
  }

  @Test func `are written in one line, and refused where they would not be one`() {
    var cookie = HTTPCookie(name: "token", value: "abc123")
    cookie?.maxAge = 60
    #expect(cookie?.text == "token=abc123; Path=/; Max-Age=60; HttpOnly; SameSite=Strict")
    for value in ["a;b", "a b", "a\r\nSet-Cookie: x=y", "a,b", "a\"", "ü", "\\"] {
      #expect(HTTPCookie(name: "a", value: value) == nil)
    }
    for name in ["", "a b", "a=", "a;", "ü"] { #expect(HTTPCookie(name: name, value: "") == nil) }
    cookie?.path = "/a; Domain=evil"
    #expect(cookie?.text.contains("evil") == false)
  }
}

/// A17: names of files that are hostile.
@Suite struct `Content-Disposition` {
  @Test(arguments: [
    ("a.png", "attachment; filename=\"a.png\""),
    ("../../etc/passwd", "attachment; filename=\"passwd\""),
    ("..\\x.exe", "attachment; filename=\"x.exe\""),
    ("a\"b;c.txt", "attachment; filename=\"abc.txt\""),
    ("a\r\nX: y.txt", "attachment; filename=\"aX y.txt\""), ("a\0b", "attachment; filename=\"ab\""),
    (".htaccess", "attachment; filename=\"htaccess\""), ("", "attachment; filename=\"file\""),
    ("..", "attachment; filename=\"file\""), ("/", "attachment; filename=\"file\""),
    ("CON", "attachment; filename=\"_CON\""), ("con.txt", "attachment; filename=\"_con.txt\""),
    ("lpt1.a.b", "attachment; filename=\"_lpt1.a.b\""),
    ("console.txt", "attachment; filename=\"console.txt\""),
    ("photo\u{202E}gnp.exe", "attachment; filename=\"photognp.exe\""),
    ("50%.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"),
    ("ü b.txt", "attachment; filename=\"__ b.txt\"; filename*=UTF-8''%C3%BC%20b.txt"),
    ("a. . ", "attachment; filename=\"a\""), ("a\u{200B}\u{E0041}b", "attachment; filename=\"ab\""),
  ]) func `A17 names a file that is safe to save`(name: String, value: String) {
    #expect(ContentDisposition.attachment(fileName: name) == value)
  }

  @Test func `A17 shortens a long name, and keeps its extension`() {
    for letter in ["a", "ü", "👩‍👩‍👧"] {
      let value = ContentDisposition.inline(
        fileName: String(repeating: letter, count: 300) + ".jpeg")
      #expect(value.hasPrefix("inline; filename=\""))
      #expect(value.contains(".jpeg\""))
      #expect(value.utf8.count < 700)
      #expect(!value.utf8.contains { $0 < 0x20 || $0 > 0x7E })
    }
  }
}
