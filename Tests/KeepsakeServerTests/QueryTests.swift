import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("What is asked is checked, and never guessed")
struct QueryTests {
  @Test(
    "F4: a number is one, within its limits",
    arguments: [
      "-1", "0", "9223372036854775808", "1e3", "1.0", "0x10", "%D9%A1", "1001", "1000000000", "+5",
      "%205", "5%20", "5;", "null", "true", "5,6", "NaN",
    ])
  func numbers(text: String) async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      for path in [
        "/api/1/sessions", fruit.path + "/entries", "/api/1/artifacts", fruit.path + "/attachments",
      ] {
        let answer = try await served.send("GET", "\(path)?limit=\(text)")
        #expect(answer.status == 400, "\(path) \(answer.text.prefix(100))")
        #expect(answer.problem == "invalid")
      }
      if text != "0", text != "1001", text != "1000000000" {
        for item in ["from", "before"] {
          let answer = try await served.send("GET", fruit.path + "/entries?\(item)=\(text)")
          #expect(answer.problem == "invalid", "\(item)")
        }
        let entry = try await served.send("GET", fruit.path + "/entries/\(text)")
        #expect(entry.problem == "not-found")
      }
    }
  }

  @Test func `positions that are not there are nothing, and the end of a list is empty`()
    async throws
  {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      for position in ["5", "999999999", "9999999999", "-1", "x", ""] {
        for rest in ["", "/revisions"] {
          let answer = try await served.send("GET", fruit.path + "/entries/\(position)\(rest)")
          #expect(answer.problem == "not-found", "\(position)\(rest): \(answer.text)")
        }
      }
      let none = try await served.json(fruit.path + "/entries?from=5")
      #expect(none["entries"]?.arrayValue?.isEmpty == true)
      let far = try await served.json(fruit.path + "/entries?from=999999999")
      #expect(far["entries"]?.arrayValue?.isEmpty == true)
      #expect(far["next"]?.isNull == true)
      let both = try await served.send("GET", fruit.path + "/entries?from=1&before=3")
      #expect(both.problem == "invalid")
    }
  }

  @Test func `items that are not known, or stand twice, are told of`() async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      for endpoint in Routes.all.map(\.endpoint)
      where endpoint.isForPrograms && endpoint.method == .get {
        if case .events = endpoint.answer { continue }
        let path = endpoint.path.description
          .replacingOccurrences(of: "{session}", with: fruit.session.uuidString.lowercased())
          .replacingOccurrences(of: "{digest}", with: fruit.image.digest.hex)
          .replacingOccurrences(of: "{position}", with: "0")
          .replacingOccurrences(of: "{tool}", with: "GenerateImage")
        let unknown = try await served.send("GET", path + "?limits=5&q=a")
        #expect(unknown.problem == "invalid", "\(path)")
        guard let item = endpoint.query.first else { continue }
        let twice = try await served.send("GET", "\(path)?\(item.name)=1&\(item.name)=1")
        #expect(twice.problem == "invalid", "\(path)")
      }
    }
  }

  @Test(
    "F4: a cursor of another list, or of nobody, is told of",
    arguments: [
      "x y", "-", "--", "abc", "1-", "zzzzzzzzzzzzzzzz", "'", "%00", "d.1.2", "s.1", "n",
      "n99999999999",
    ])
  func cursors(text: String) async throws {
    try await Served.run { served in
      let fruit = try await Fruit(in: served.store)
      for path in [
        "/api/1/sessions?", "/api/1/search?q=a&", fruit.path + "/invocations?",
        fruit.path + "/attachments?",
      ] {
        let answer = try await served.send("GET", "\(path)after=\(text)")
        #expect(answer.status == 400, "\(path)\(text): \(answer.status)")
      }
      let artifacts = try await served.send("GET", "/api/1/artifacts?after=\(text)")
      // Letters and digits may be the number of an artifact.
      #expect([200, 400].contains(artifacts.status), "\(text)")
    }
  }

  @Test
  func `F4: cursors of other lists are refused where they name no place, and harm nothing else`()
    async throws
  {
    try await Served.run { served in
      for number in 0..<3 {
        let session = try await served.store.createSession(title: "\(number)")
        try await session.append(.prompt("word \(number)"))
        try await session.attach(.init(.bytes([UInt8(number)])), to: 0)
      }
      var cursors: [String] = []
      for path in ["sessions?limit=1", "artifacts?limit=1", "search?q=word&limit=1"] {
        cursors.append(try #require(try await served.json("/api/1/\(path)")["next"]?.stringValue))
      }
      for (own, path) in ["sessions?", "artifacts?", "search?q=word&"].enumerated() {
        for (other, cursor) in cursors.enumerated() {
          let answer = try await served.send("GET", "/api/1/\(path)after=\(cursor)")
          #expect(answer.status == (own == other ? 200 : 400), "\(path)\(cursor)")
        }
      }
    }
  }

  @Test(
    "F1, F2: words of a search are words",
    arguments: [
      "%22", "NEAR(", "*", "col:x", "^a", "AND%20AND", "-%20-", "%00", "a%00b", "'%20OR%201=1--",
      "%22unbalanced", "(", ")", "a*b*", "%FF%FE", "%E2%80%AE", "-a", "title:%22", "{a%20b}:c",
    ])
  func searches(text: String) async throws {
    try await Served.run { served in
      _ = try await Fruit(in: served.store)
      let answer = try await served.send("GET", "/api/1/search?q=\(text)")
      #expect([200, 400].contains(answer.status), "\(answer.status) \(answer.text)")
      if answer.status == 400 { #expect(answer.problem == "invalid", "\(answer.text)") }
    }
  }

  @Test func `F2: a search of ten thousand words is refused, and one of many is answered`()
    async throws
  {
    try await Served.run { served in
      _ = try await Fruit(in: served.store)
      let many = (0..<1000).map { "w\($0)" }.joined(separator: "+")
      let answer = try await served.send("GET", "/api/1/search?q=\(many)")
      #expect(answer.problem == "invalid")
      let huge = (0..<10_000).map { "w\($0)" }.joined(separator: "+")
      #expect(try await served.send("GET", "/api/1/search?q=\(huge)").status == 414)
      let some = (0..<200).map { "w\($0)" }.joined(separator: "+")
      #expect(try await served.send("GET", "/api/1/search?q=\(some)").status == 200)
    }
  }

  @Test(
    "F1: texts of filters are texts",
    arguments: ["'%20OR%201=1--", "x')%20OR%20('1'='1", "%25", "_", "%22", "%00", "%F0%9F%8D%8C"])
  func filters(text: String) async throws {
    try await Served.run { served in
      _ = try await Fruit(in: served.store)
      for item in ["model", "tool", "tag", "origin", "has", "text"] {
        let answer = try await served.send("GET", "/api/1/sessions?\(item)=\(text)")
        #expect([200, 400].contains(answer.status), "\(item)")
        // Signs alone are no words, so they leave nobody out.
        if answer.status == 200, item != "text" {
          #expect(try answer.json["sessions"]?.arrayValue?.isEmpty == true, "\(item)=\(text)")
        }
      }
      for item in ["type"] {
        let answer = try await served.send("GET", "/api/1/artifacts?\(item)=\(text)")
        #expect([200, 400].contains(answer.status), "\(item)")
      }
      let tool = try await served.send("GET", "/api/1/tools/\(text)/artifacts")
      #expect([200, 400, 404].contains(tool.status))
    }
  }

  @Test func `wrong times, kinds, groupings and ids are told of`() async throws {
    try await Served.run { served in
      for query in [
        "sessions?since=yesterday", "sessions?until=2026-13-01", "search?q=a&kind=song",
        "search?q=a&order=best-first", "usage?by=week", "search?q=a&session=1", "search",
        "search?q=",
        "usage?since=2026-02-30",
      ] {
        let answer = try await served.send("GET", "/api/1/\(query)")
        #expect(answer.problem == "invalid", "\(query): \(answer.text)")
      }
      for path in [
        "sessions/1", "sessions/\(UUID().uuidString)", "sessions/\(UUID().uuidString)/entries",
        "artifacts/1", "artifacts/\(String(repeating: "0", count: 64))",
        "artifacts/\(String(repeating: "0", count: 64))/audit", "nothing", "sessions/", "",
      ] {
        let answer = try await served.send("GET", "/api/1/\(path)")
        #expect(answer.problem == "not-found", "\(path): \(answer.text)")
      }
      let other = UUID().uuidString
      #expect(try await served.send("GET", "/api/1/search?q=a&session=\(other)").status != 500)
    }
  }
}
