import KeepsakeHTTP
import Testing

/// C10: however the bytes are cut into pieces, they mean the same.
@Suite struct `Requests in pieces` {
  private static let texts = [
    "GET /a%20b?c=d HTTP/1.1\r\nHost: localhost:1\r\nX: y\r\n\r\nrest",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "\r\n",
    "\u{16}\u{3}\u{1}\u{2}", "GET / HTTP/3.0\r\nHost: a\r\n\r\n",
  ]

  @Test(arguments: texts) func `mean the same, cut at any byte`(text: String) {
    let bytes = Array(text.utf8)
    let whole = Parsed(bytes)
    for cut in 0...bytes.count { #expect(Parsed(bytes, cutAt: [cut]) == whole) }
    #expect(Parsed(bytes, cutAt: Array(0...bytes.count)) == whole)
  }

  @Test func `mean the same, of any bytes and cuts`() {
    let seed = UInt64.random(in: 1 ... .max)
    var random = SeededRandom(seed)
    var limits = HTTPLimits()
    (limits.headBytes, limits.targetBytes, limits.fields) = (160, 40, 6)
    var heads = 0
    for _ in 0..<20_000 {
      let bytes = HostileRequest.make(&random)
      let whole = Parsed(bytes, limits: limits)
      if whole.head != nil { heads += 1 }
      let cuts = (0..<Int.random(in: 0..<8, using: &random))
        .map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
      #expect(
        Parsed(bytes, cutAt: cuts, limits: limits) == whole,
        "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    #expect(heads > 500, "Too few were requests at all, with seed \(seed)")
  }
}

/// Random numbers that can be had again.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Requests of which a few bytes are wrong, or nothing is.
enum HostileRequest {
  private static let lines = [
    "GET / HTTP/1.1", "GET /a/b?c=d&e HTTP/1.1", "HEAD /x HTTP/1.1", "POST /p HTTP/1.1",
    "GET /%41%2e HTTP/1.1", "GET / HTTP/1.0", "OPTIONS / HTTP/1.1", "DELETE /d HTTP/1.1",
  ]
  private static let fields = [
    "Host: localhost", "Host: localhost", "Host: localhost", "Content-Length: 0",
    "Content-Length: 4", "X-Y: z", "Accept: */*", "Connection: close", "Connection: keep-alive",
    "Expect: 100-continue", "Transfer-Encoding: chunked", "Cookie: a=b", "If-None-Match: \"x\"",
    "Range: bytes=0-1", "X-Empty:",
  ]
  private static let bits = [
    " ", "\t", "\r", "\n", "\r\n", "\0", ":", ";", ",", "%", "%00", "%2e", "/", "..", "\u{7F}", "é",
    "#", "?", "chunked", "1", "-", "+", "HTTP/1.1", "Host: localhost\r\n", "\u{B}", "\"",
  ]

  static func make(_ random: inout SeededRandom, body: Bool = true) -> [UInt8] {
    var text = (lines.randomElement(using: &random) ?? "") + "\r\nHost: localhost\r\n"
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      text += (fields.dropFirst(3).randomElement(using: &random) ?? "") + "\r\n"
    }
    text += "\r\n"
    if body, text.contains("Length: 4") { text += "body" }
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      let at = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.insert(contentsOf: (bits.randomElement(using: &random) ?? "").utf8, at: at)
      case 1 where at < bytes.count: bytes.remove(at: at)
      case 2 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
      default: break
      }
    }
    return bytes
  }
}
