#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import Testing

@Suite("JSON from values of Swift")
struct JSONFromValuesTests {
  struct Cover: Codable, Equatable {
    var title: String
    var page = 3
    var ratio = 0.1
    var isFolded = true
    var made: Date?
    var inks: [String: Int] = ["cyan": 1, "black": 2]
  }

  @Test("Literals become the value that they look like")
  func literals() {
    let page = 3
    let json: JSON = [
      "title": "a \"cup\"", "page": 3, "ratio": 0.1, "large": 1e300, "isFolded": true,
      "inks": ["cyan", 2, [:], []], "none": .null, "label": "page \(page)",
    ]
    #expect(
      json.text
        == #"{"title":"a \"cup\"","page":3,"ratio":0.1,"large":1e+300,"isFolded":true,"inks":["cyan",2,{},[]],"none":null,"label":"page 3"}"#
    )
    var entry = Entry.prompt("a cup")
    entry.metadata = ["page": 3]
    #expect(entry.metadata?["page"]?.intValue == 3)
    entry.metadata = nil
    #expect(entry.metadata == nil)
  }

  @Test("A value of one's own type is kept, and comes back as it was")
  func typed() throws {
    let cover = Cover(
      title: "Fruit/Obst", made: Date(timeIntervalSinceReferenceDate: 700_000_000.25))
    let json = try JSON(encoding: cover)
    #expect(json.kind == .object)
    #expect(json["title"]?.text == #""Fruit/Obst""#)
    #expect(json["inks"]?.text == #"{"black":2,"cyan":1}"#)
    #expect(try JSON(encoding: cover) == json)
    #expect(try json.decode(as: Cover.self) == cover)
    let again: Cover = try json.decode()
    #expect(again == cover)
  }

  @Test("JSON itself, and single values, go through unchanged")
  func singles() throws {
    let json = try JSON(validating: #"{"b" : 1.50, "a": [ ]}"#)
    #expect(try JSON(encoding: json) == json)
    #expect(try json.decode(as: JSON.self) == json)
    #expect(try JSON(encoding: "é").decode(as: String.self) == "é")
    #expect(try JSON(encoding: 0.1).text == "0.1")
    #expect(try JSON(encoding: Int?.none).isNull)
  }

  @Test("An encoder and a decoder of one's own are used")
  func ownCoders() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let cover = Cover(title: "x", made: Date(timeIntervalSince1970: 0))
    let json = try JSON(encoding: cover, with: encoder)
    #expect(json["made"]?.stringValue == "1970-01-01T00:00:00Z")
    #expect(try json.decode(as: Cover.self, with: decoder) == cover)
  }

  @Test("What is no such value is an error")
  func refused() throws {
    #expect(throws: (any Error).self) { try JSON(encoding: Double.infinity) }
    #expect(throws: (any Error).self) { try JSON.string("x").decode(as: Cover.self) }
  }
}
