import Foundation
import Testing

@testable import Keepsake

@Suite("Base64 as transcripts have it")
struct Base64Tests {
  @Test(arguments: [
    ("QUJD", "ABC"), ("QQ==", "A"), ("QUI=", "AB"), ("", ""),
    // Without padding, and in the alphabet of URLs and file names.
    ("QQ", "A"), ("QUI", "AB"), ("Pz8/", "???"), ("Pz8_", "???"), ("fn5-", "~~~"),
    // Wrapped as MIME and PEM do it, indented, and with the breaks made spaces.
    ("QU\nJD ", "ABC"), ("QU\r\n JD\r\n", "ABC"), ("\t QUJD\n\tQUJD\n", "ABCABC"),
    ("QUJD QUJD QQ==", "ABCABCA"), ("QQ\n==", "A"), ("QQ=\n=", "A"),
  ])
  func `is decoded`(text: String, expected: String) throws {
    #expect(String(decoding: try Base64.decode(text), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    "=", "====", "QUJ!", "A", "QUJDR", "QUJD====", "QQ===", "QQ=", "QUI==", "Q===",
    // Something follows the end.
    "QQ==QQ==", "QQ==x", "QUJD#icon", "QUJD\0", "QUJDé", "%51UJD",
    // Two alphabets at once, which no program writes.
    "Pz8/Pz8_",
    // Cut off in the middle of a byte.
    "QR==", "QUJ", "iVBORw0KGgoAAAANSUhEU…", "QUJD...",
    // Spaces where a form's decoding has taken plus signs away.
    "QU JD", "fn5 fn5", "QUJD fn5",
  ])
  func `that is rubbish is an error that says so`(text: String) {
    let error = #expect(throws: KeepsakeError.self) { try Base64.decode(text) }
    #expect(error?.code == .invalid)
    #expect(error?.message.hasPrefix("Can't decode") == true)
  }

  @Test func `gives every length and every byte back, in each form`() throws {
    var bytes: [UInt8] = []
    for length in 0..<600 {
      if length > 0 { bytes.append(UInt8(truncatingIfNeeded: length &* 167 &+ length >> 8)) }
      let data = Data(bytes)
      let plain = data.base64EncodedString()
      let wrapped = data.base64EncodedString(options: [
        .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
      ])
      let forURLs = plain.replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
      let percentEncoded = plain.replacing("+", with: "%2B").replacing("/", with: "%2f")
        .replacing("=", with: "%3D")
      #expect(try Base64.decode(plain) == bytes)
      #expect(try Base64.decode(wrapped) == bytes)
      #expect(try Base64.decode(wrapped.replacing("\r\n", with: " ")) == bytes)
      #expect(try Base64.decode(forURLs) == bytes)
      #expect(try DataURL.decode("data:;base64," + plain) == bytes)
      #expect(try DataURL.decode("data:image/png;base64," + percentEncoded) == bytes)
    }
  }

  @Test func `that was cut off is mostly found out`() throws {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let whole = Data(bytes).base64EncodedString()
    var found = 0
    for length in 1...400 {
      do {
        let cut = try Base64.decode(String(whole.prefix(length)))
        #expect(bytes.starts(with: cut))
      } catch is KeepsakeError { found += 1 }
    }
    // Where it is cut between groups of four, nothing shows it.
    #expect(found > 200, "\(found) of 300")
  }
}
