import Foundation
import Testing

@testable import Keepsake

@Suite("Data URLs as transcripts have them")
struct DataURLTests {
  @Test(arguments: [
    ("data:text/plain;base64,QUJD", "ABC"), ("DATA:image/png;BASE64,QUJD", "ABC"),
    ("data:;base64,QUJD", "ABC"), ("data:image/png;base64,", ""),
    // Percent-encoded, as in an attribute of HTML or in a query.
    ("data:image/png;base64,QQ%3D%3D", "A"), ("data:image/png;base64,Pz8%2F", "???"),
    ("data:image/png;base64,Pz8%2f", "???"), ("data:image/png;base64,%51UJD", "ABC"),
    ("data:image/png;base64,QU%0AJD", "ABC"),
    // Attributes, before and behind.
    ("data:text/plain;charset=utf-8;base64,QUJD", "ABC"),
    ("data:image/png;name=a%20cup.png;base64,QUJD", "ABC"),
    ("data:image/png; base64 ,QUJD", "ABC"), ("data:text/plain;base64;charset=utf-8,QUJD", "ABC"),
    ("\n data:image/png;base64,\n QUJD\n", "ABC"),
  ])
  func `with base64 are decoded`(text: String, expected: String) throws {
    #expect(String(decoding: try DataURL.decode(text), as: UTF8.self) == expected)
  }

  @Test func `declare the type of what is attached, where the caller does not`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let declared = try await session.attach(.init(.base64("data:image/webp;x=y;base64,QUJD")))
      #expect(declared.mediaType?.description == "image/webp")
      let said = try await session.attach(
        .init(.base64("data:image/webp;base64,QUJD"), mediaType: MediaType("image/avif")))
      #expect(said.mediaType?.description == "image/avif")
      #expect(try await session.attach(.init(.base64("data:,QUJD"))).mediaType == nil)
    }
  }

  @Test(arguments: [
    ("data:,", ""), ("data:,hello", "hello"), ("data:text/plain,hello%20world", "hello world"),
    ("data:text/plain,a+b c", "a+b c"), ("data:text/plain;charset=utf-8,%C3%A9t%c3%a9", "été"),
    ("data:text/html,<p>a,b</p>", "<p>a,b</p>"), ("data:text/plain;name=base64,QUJD", "QUJD"),
    // Written by hand: what is not percent-encoding stands for itself.
    (
      "data:image/svg+xml;utf8,<svg width=\"100%\" fill=\"#fff\">é</svg>",
      "<svg width=\"100%\" fill=\"#fff\">é</svg>"
    ),
    ("data:text/plain,100%", "100%"), ("data:text/plain,%4", "%4"), ("data:text/plain,%zz", "%zz"),
    ("data:text/plain,%2541", "%41"), ("data:text/plain,a\nb", "a\nb"),
  ])
  func `without base64 are decoded`(text: String, expected: String) throws {
    #expect(String(decoding: try DataURL.decode(text), as: UTF8.self) == expected)
  }

  @Test func `hold any bytes, also those that are no text`() throws {
    #expect(try DataURL.decode("data:,%FF%00%fe") == [0xFF, 0, 0xFE])
  }

  @Test(arguments: [
    "data:", "data:image/png", "data:image/png;base64", "data:image/png;base64,QQ%3",
    "data:;base64,!",
    "data:image/png;base64,QU%20JD", "data:image/png;base64,Pz8%252F", "data:image/png;base64,=",
  ])
  func `that are rubbish are an error that says so`(text: String) {
    let error = #expect(throws: KeepsakeError.self) { try DataURL.decode(text) }
    #expect(error?.code == .invalid)
    #expect(error?.message.hasPrefix("Can't decode") == true)
  }

  @Test func `are taken wherever base64 is`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let png = try #require(Data(base64Encoded: Pixel.png))
      let encoded = Pixel.png.replacing("+", with: "%2B").replacing("/", with: "%2F")
        .replacing("=", with: "%3D")
      for text in [Pixel.png, "Data:image/png;name=x;base64," + encoded] {
        let attached = try await session.attach(.init(.base64(text), madeBy: .user))
        #expect(try await attached.data() == png)
        #expect(attached.artifact?.sniffedType == .png)
      }
      let text = try await session.attach(.init(.base64("data:,h%C3%A9"), madeBy: .user))
      #expect(try await text.data() == Data("hé".utf8))
    }
  }
}
