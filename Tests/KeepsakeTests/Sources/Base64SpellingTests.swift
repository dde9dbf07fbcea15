import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("The spelling of base64")
struct Base64SpellingTests {
  private func spellings(of bytes: [UInt8]) -> [String] {
    let plain = Data(bytes).base64EncodedString()
    let safe = plain.replacing("+", with: "-").replacing("/", with: "_")
    let bare = { (text: String) in String(text.prefix { $0 != "=" }) }
    func lines(_ text: String, _ length: Int, _ end: String) -> String {
      stride(from: 0, to: text.count, by: length).map { start in
        String(text.dropFirst(start).prefix(length))
      }.joined(separator: end)
    }
    return [
      plain, bare(plain), safe, bare(safe), plain.replacing("/", with: #"\/"#),
      lines(plain, 76, "\n"), lines(plain, 76, "\r\n"), lines(plain, 64, "\n") + "\n",
      lines(plain, 76, #"\n"#), lines(plain, 4, #"\r\n"#) + #"\r\n"#,
    ]
  }

  @Test func `each spelling gives the text back from the bytes, whatever pieces they come in`()
    throws
  {
    var random = SeededGenerator(seed: 7)
    for count in Array(0..<10) + [57, 100, 1023] {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      for text in spellings(of: bytes) {
        let spelled = Array(text.utf8)
        // A break after nothing is no line of base64.
        if bytes.isEmpty, !spelled.isEmpty { continue }
        let spelling = try #require(Base64Spelling(of: spelled[...]), "\(text)")
        var decoded: [UInt8] = []
        #expect(spelling.decode(spelled[...]) { decoded += $0 })
        #expect(decoded == bytes, "\(text)")
        #expect(spelling.size(of: spelled[...]) == bytes.count, "\(text)")
        let stored = try #require(Base64Spelling(rawValue: spelling.rawValue))
        #expect(stored == spelling)
        var encoder = Base64Spelling.Encoder(stored)
        var written: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let piece = rest.prefix(Int.random(in: 1...7, using: &random))
          encoder.add(Array(piece), to: &written)
          rest = rest.dropFirst(piece.count)
        }
        encoder.finish(to: &written)
        #expect(String(decoding: written, as: UTF8.self) == text)
      }
    }
  }

  @Test(arguments: [
    "A", "AB=", "AB===", "ABC", "A-/B", #"A\/B/"#, "AAAA AAAA", "AAAA\nAA\nAAAA", "AB==AAAA",
    "Zm9v!", "Zh==",
    "Zm9=", "AAAA\n\nAAAA", "=", "====", "AAA=\n\n", #"\"#, #"AAA\"#, "AAAA\r", "é",
  ])
  func `what its bytes would not give back has no spelling`(text: String) {
    let spelled = Array(text.utf8)
    guard let spelling = Base64Spelling(of: spelled[...]) else { return }
    var bytes: [UInt8] = []
    _ = spelling.decode(spelled[...]) { bytes += $0 }
    var encoder = Base64Spelling.Encoder(spelling)
    var written: [UInt8] = []
    encoder.add(bytes, to: &written)
    encoder.finish(to: &written)
    #expect(String(decoding: written, as: UTF8.self) == text)
    #expect(text == "ABC" || text == "AAAA\nAA\nAAAA")
  }

  @Test func `any text either has no spelling or is given back`() throws {
    var random = SeededGenerator(seed: 11)
    let alphabet = Array(#"AZaz09+/-_=\nr"#.utf8) + [0x0A, 0x0D]
    var spelled = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      guard let spelling = Base64Spelling(of: text[...]) else { continue }
      spelled += 1
      var bytes: [UInt8] = []
      #expect(spelling.decode(text[...]) { bytes += $0 })
      var encoder = Base64Spelling.Encoder(spelling)
      var written: [UInt8] = []
      encoder.add(bytes, to: &written)
      encoder.finish(to: &written)
      #expect(written == text)
    }
    #expect(spelled > 100)
  }
}
