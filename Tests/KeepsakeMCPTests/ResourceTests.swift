import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// Sessions and artifacts as resources.
@Suite struct ResourceTests {
  private static func read(_ uri: String, _ talker: Talker, era: Talker.Era = .modern) async throws
    -> JSON
  {
    try await talker.ask("resources/read", #""uri":\#(JSON.string(uri).text)"#, era: era)
  }

  @Test func `the list has the newest sessions, a page at a time, and no artifacts`() async throws {
    let store = try await TalkStore()
    try await store.change { store in
      for number in 0..<70 { _ = try await store.createSession(title: "S\(number)") }
    }
    let talker = try Talker(store)
    let first = try #require(try await talker.ask("resources/list", era: .modern)["result"])
    #expect(first["resources"]?.arrayValue?.count == 50)
    #expect(first["resources"]?[0]?["title"] == "S69")
    #expect(first["resources"]?[0]?["mimeType"] == "text/plain")
    let cursor = try #require(first["nextCursor"])
    let second = try #require(
      try await talker.ask("resources/list", #""cursor":\#(cursor.text)"#, era: .modern)["result"])
    #expect(second["resources"]?.arrayValue?.count == 21)
    #expect(second["nextCursor"] == nil)
    let uris = [first, second].flatMap { $0["resources"]?.arrayValue ?? [] }
      .compactMap { $0["uri"]?.stringValue }
    #expect(Set(uris).count == 71 && uris.allSatisfy { $0.hasPrefix("keepsake://session/") })
    for bad in ["\"\"", "\"AAAA\"", "7", "\"\(String(repeating: "A", count: 100_000))\""] {
      let answer = try await talker.ask("resources/list", #""cursor":\#(bad)"#, era: .modern)
      #expect(answer.errorCode == -32602)
    }
  }

  @Test func `a session is plain text, and leads to what stands before it`() async throws {
    let store = try await TalkStore()
    let id = try await store.change { store in
      let session = try await store.createSession(title: "Long")
      for number in 0..<300 {
        try await session.append(.prompt("\(number) " + String(repeating: "x", count: 1000)))
      }
      return session.id
    }
    let talker = try Talker(store)
    var uri: String? = "keepsake://session/\(id.uuidString.lowercased())"
    var seen: Set<Int> = []
    // All entries from here on were seen. A stretch that ends before it is read on first.
    var low = 300
    var waiting: (first: Int, older: String?)?
    while let next = uri {
      let answer = try await Self.read(next, talker)
      let content = try #require(answer["result"]?["contents"]?[0])
      #expect(content["mimeType"] == "text/plain")
      #expect(content["uri"]?.stringValue == next)
      let text = try #require(content["text"]?.stringValue)
      #expect(text.utf8.count <= 64 << 10)
      let positions = try ReadingTests.parts(text).compactMap {
        Int($0.facts.split(separator: " ")[1])
      }
      let first = try #require(positions.first)
      let last = try #require(positions.last)
      seen.formUnion(positions)
      func way(_ name: String) -> String? {
        text.range(of: "\(name): ").map {
          String(text[$0.upperBound...].prefix { !$0.isWhitespace && $0 != ";" })
        }
      }
      let start = waiting ?? (first, way("older"))
      if last + 1 < low {
        waiting = start
        uri = way("newer")
        #expect(uri != nil)
      } else {
        low = start.first
        uri = start.older
        waiting = nil
      }
    }
    #expect(seen == Set(0..<300))
  }

  @Test func `bytes come as they are: text as text, the rest as base64, by what they show`()
    async throws
  {
    let store = try await TalkStore()
    let note = "one\r\ntwo \u{202E}\u{1B}[2J"
    let id = try await store.keep(Array(note.utf8), type: .png)
    let talker = try Talker(store)
    for uri in ["keepsake://artifact/\(id)", "keepsake://artifact/\(id.description.dropFirst(7))"] {
      let answer = try await Self.read(uri, talker)
      let content = try #require(answer["result"]?["contents"]?[0], "\(answer)")
      #expect(content["text"]?.stringValue == note)
      #expect(content["mimeType"] == "text/plain")
      #expect(content["blob"] == nil)
    }
    let image = try await Self.read("keepsake://artifact/\(store.image)", talker)
    #expect(
      image["result"]?["contents"]?[0]?["blob"]?.stringValue
        == Data(TalkStore.png).base64EncodedString())
    #expect(image["result"]?["contents"]?.arrayValue?.count == 1)
  }

  @Test func `what is not there, or is spelled in any other way, is not found`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store)
    try await talker.initialize()
    let id = store.session.uuidString.lowercased()
    let hex = store.image.description.dropFirst(7)
    for uri in [
      "keepsake://session/none", "keepsake://session/\(UUID().uuidString)",
      "keepsake://artifact/\(String(repeating: "0", count: 64))",
      "keepsake://artifact/\(hex.prefix(8))",
      "KEEPSAKE://session/\(id)", "keepsake://SESSION/\(id)", "keepsake://Artifact/\(hex)",
      "keepsake://session/\(id)/", "keepsake://session/../artifact/\(hex)",
      "keepsake://session/%2e%2e/\(id)", "keepsake://session/\(id)?x=1",
      "keepsake://session/\(id)?",
      "keepsake://session/\(id)?start=-1", "keepsake://session/\(id)?start=1&start=2",
      "keepsake://session/\(id)?count=0", "keepsake://session/\(id)?count=201",
      "keepsake://session/\(id)?start=99", "keepsake://session/\(id)?start=1&offset=9999",
      "keepsake://session/\(id)#x", "keepsake://user@session/\(id)", "keepsake://session:80/\(id)",
      "keepsake://session/\(id)%00", "file:///etc/passwd", "", "keepsake://artifact/\(hex)?start=0",
    ] {
      for era in Talker.Era.allCases {
        let answer = try await Self.read(uri, talker, era: era)
        #expect(answer.errorCode == (era == .modern ? -32602 : -32002), "\(uri)")
        #expect(answer["error"]?["data"]?["uri"]?.stringValue == uri)
      }
    }
    #expect(try await talker.ask("resources/read", era: .modern).errorCode == -32602)
    for uri in [
      "keepsake://session/\(id)?start=1&count=2", "keepsake://session/\(id.uppercased())",
    ] {
      #expect(try await Self.read(uri, talker)["result"] != nil, "\(uri)")
    }
  }

  @Test(arguments: [0, 1]) func `an artifact above 16 MiB is refused with its size`(
    excess: Int
  ) async throws {
    let store = try await TalkStore()
    let size = (16 << 20) + excess
    // No text: bytes that JSON has to escape would become six times as many.
    let id = try await store.keep([UInt8](repeating: 0xFE, count: size))
    let answer = try await Self.read("keepsake://artifact/\(id)", try Talker(store))
    guard excess > 0 else { return #expect(answer["result"] != nil) }
    #expect(answer.errorCode == -32602)
    #expect(answer["error"]?["data"]?["size"] == .number(Int64(size)))
    #expect(answer["error"]?["data"]?["limit"] == 16_777_216)
  }

  @Test func `templates name both kinds`() async throws {
    let answer = try await Talker(try await TalkStore()).ask(
      "resources/templates/list", era: .modern)
    let templates = try #require(answer["result"]?["resourceTemplates"]?.arrayValue)
    #expect(
      templates.map { $0["uriTemplate"]?.stringValue } == [
        "keepsake://session/{id}{?start,count,offset}", "keepsake://artifact/{digest}",
      ])
  }
}
