import Foundation
import Testing

@testable import Keepsake

@Suite struct `Base64 in JSON` {
  @Test func `is that of the bytes, at each length and of each byte`() throws {
    var writer = JSONWriter(reserving: 0)
    writer.beginObject()
    writer.member("all", base64: Data(0...255))
    writer.key("lengths")
    writer.beginArray()
    for count in 0..<100 { writer.base64(Data(repeating: 0xFB, count: count)) }
    writer.endArray()
    writer.member("last", "text")
    writer.endObject()

    let json = try JSON(validating: writer.bytes)
    #expect(json["all"]?.stringValue == Data(0...255).base64EncodedString())
    let lengths = try #require(json["lengths"]?.arrayValue).map(\.stringValue)
    #expect(
      lengths == (0..<100).map { Data(repeating: 0xFB, count: $0).base64EncodedString() })
    #expect(json["last"]?.stringValue == "text")
  }
}
