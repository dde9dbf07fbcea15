import Keepsake
import Testing

@testable import KeepsakeMCP

/// How a stream of bytes becomes messages.
@Suite struct MessageLinesTests {
  private static func lines(_ pieces: [[UInt8]], limit: Int = 100) -> [MessageLines.Line] {
    var lines = MessageLines(limit: limit)
    var found: [MessageLines.Line] = []
    for piece in pieces { lines.take(piece) { found.append($0) } }
    lines.finish { found.append($0) }
    return found
  }

  @Test func `wherever a stream is parted, it gives the same lines`() {
    let long = String(repeating: "x", count: 30)
    let text = Array("{\"a\":1}\r\n\n  \n{\"é\":2}\n\(long)\n[3]\n\(long)\(long)\ny".utf8)
    let whole = Self.lines([text], limit: 20)
    #expect(
      whole == [
        .message(Array("{\"a\":1}".utf8)), .message(Array("{\"é\":2}".utf8)), .tooLong,
        .message(Array("[3]".utf8)), .tooLong, .message(Array("y".utf8)),
      ])
    for first in 0...text.count {
      #expect(Self.lines([Array(text[..<first]), Array(text[first...])], limit: 20) == whole)
    }
    #expect(Self.lines(text.map { [$0] }, limit: 20) == whole)
  }

  @Test func `a line as long as the limit is taken, and one byte more is told of once`() {
    let line = [UInt8](repeating: 0x78, count: 100)
    #expect(Self.lines([line + [0x0A]]) == [.message(line)])
    #expect(Self.lines([line + [0x78, 0x0A], [0x79, 0x0A]]) == [.tooLong, .message([0x79])])
  }

  @Test(
    arguments: [
      [0xEF, 0xBB, 0xBF] + Array("{}".utf8), Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8),
      Array("{\"a\":\"".utf8) + [0] + Array("\"}".utf8), Array("{\"a\":".utf8), [0x7B, 0x00, 0x7D],
      Array(String(repeating: "[", count: 10_000).utf8)
        + Array(String(repeating: "]", count: 10_000).utf8),
    ] as [[UInt8]]) func `bytes that are no JSON are told of, and the next message is taken`(
      bytes: [UInt8]
    ) async throws
  {
    let talker = try Talker(try await TalkStore())
    let answer = try JSON(validating: try #require(await talker.raw(bytes)))
    #expect(answer.errorCode == -32700)
    #expect(answer["id"] == nil)
    #expect(
      try await talker.send(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?["result"] == [:])
  }
}
