import Testing

@testable import Keepsake

@Suite("Base64 as transcripts have it")
struct Base64Tests {
  @Test(arguments: [
    ("QUJD", "ABC"), ("QU\nJD ", "ABC"), ("Pz8_", "???"), ("QQ", "A"), ("", ""),
    ("data:text/plain;base64,QUJD", "ABC"), ("DATA:image/png;BASE64,QUJD", "ABC"),
  ])
  func `is decoded`(text: String, expected: String) throws {
    #expect(String(decoding: try Base64.decode(text), as: UTF8.self) == expected)
  }

  @Test(arguments: ["=", "====", "QUJ!", "data:text/plain,hello", "A"])
  func `that is rubbish is an error that says so`(text: String) {
    let error = #expect(throws: KeepsakeError.self) { try Base64.decode(text) }
    #expect(error?.code == .invalid)
  }
}
