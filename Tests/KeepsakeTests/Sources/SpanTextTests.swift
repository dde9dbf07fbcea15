import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("The spans of a piece as text")
struct SpanTextTests {
  static func span(_ position: Int, _ artifact: Int64, _ spelling: Int = 2) throws
    -> SourcePiece.Span
  {
    .init(
      position: position, artifact: artifact,
      spelling: try #require(Base64Spelling(rawValue: spelling)))
  }

  /// Lists as files have them, and as they never do.
  static func random(_ generator: inout SeededGenerator) throws -> [SourcePiece.Span] {
    var position = 0
    return try (0..<Int.random(in: 1...40, using: &generator)).map { _ in
      position += [0, 1, 109, 109, 109, 109, 70_000].randomElement(using: &generator) ?? 0
      return try span(
        position, [1, 2, 3, 9, 10, 7777, 1 << 53].randomElement(using: &generator) ?? 1,
        [0, 2, 2, 2, 2, 3, 6, 10, 76 << 8 | 2 | 1 << 4].randomElement(using: &generator) ?? 0)
    }
  }

  @Test func `says where each stands, which artifact it is and how that is spelled`() throws {
    #expect(SpanText.make([]) == nil)
    let spans = try [
      Self.span(119, 1), Self.span(228, 2), Self.span(337, 3), Self.span(337, 4),
      Self.span(446, 1, 3), Self.span(555, 1, 3), Self.span(664, 1, 2),
    ]
    #expect(SpanText.make(spans) == "1,119,2;2,109;;4,0;1,109,3;1;1,109,2")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `gives back the spans that it was made of`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let spans = try Self.random(&generator)
    let text = try #require(SpanText.make(spans))
    #expect(SpanText.spans(in: Array(text.utf8)) == spans)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a text of which a byte was altered is refused, or is that of other spans`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    var text = Array(try #require(SpanText.make(Self.random(&generator))).utf8)
    let index = text.indices.randomElement(using: &generator) ?? 0
    text[index] = Array("0123456789,;-x\u{0}".utf8).randomElement(using: &generator) ?? 0
    guard let spans = SpanText.spans(in: text) else { return }
    #expect(SpanText.make(spans) == String(decoding: text, as: UTF8.self))
  }

  @Test(arguments: [
    "", ";", ",", "1", "1,1", "1,1,", ";1,1,2", "1,1,2;2", "1,1,2;;3", "1,1,2,2", "1,,2", ",1,2",
    "1,1,2;,2", "9007199254740992,1,2;",
    "01,1,2", "1,01,2", "1,1,02", "00,1,2", "-1,1,2", "+1,1,2", "1,-1,2", "1,1,-2", " 1,1,2",
    "1,1,2 ", "1,1,2\n", "1.0,1,2", "1e3,1,2", "x", "[1,1,2]", "1,1,2;1,1", "1,1,2;1,0,2",
    "1,1,2;1,", "1,1,80", "1,1,16", "1,1,256", "0,1,2", "1,1,2;0", "9007199254740993,1,2",
    "1,9007199254740993,2", "1,1,9007199254740993", "1,9007199254740992,2;1",
    "1,9007199254740992,2;1,1", "1,9223372036854775807,2", "1,9223372036854775808,2",
    "1,99999999999999999999999999,2", "9223372036854775808,1,2",
    "1,1,2;1;1,9223372036854775807",
  ])
  func `any other text is refused`(text: String) {
    #expect(SpanText.spans(in: Array(text.utf8)) == nil)
  }
}
