import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Pages of lists")
struct PagingTests {
  /// Reads all pages, and gives what names each element.
  private func all(
    _ served: Served, _ path: String, _ list: String, _ name: String, item: String = "after",
    first: String? = nil
  ) async throws -> [String] {
    var found: [String] = []
    var cursor = first
    var pages = 0
    repeat {
      let page = try await served.json(path + (cursor.map { "&\(item)=\($0)" } ?? ""))
      let elements = try #require(page[list]?.arrayValue)
      #expect(!elements.isEmpty && elements.count <= 3)
      found += elements.map { $0[name]?.text ?? "?" }
      cursor = page[item == "before" ? "previous" : "next"]?.stringValue
      pages += 1
    } while cursor != nil && pages < 100
    return found
  }

  @Test func `each element comes once, whichever list it is of`() async throws {
    try await Served.run { served in
      for number in 0..<8 {
        let session = try await served.store.createSession(title: "fruit \(number)", tags: ["t"])
        try await session.append(.prompt("fruit number \(number)"))
        try await session.attach(.init(.bytes([UInt8(number)]), madeBy: .step("Draw")), to: 0)
      }
      let session = try await served.store.createSession(title: "long")
      try await session.append((0..<10).map { .prompt("part \($0)") })
      for number in 0..<8 {
        try await session.attach(.init(.bytes([1]), label: "l\(number)"), to: number)
        _ = try await session.begin(.step, "Step \(number)")
      }
      let path = "/api/1/sessions/\(session.id.uuidString.lowercased())"
      let one = SHA256.digest(of: [1]).hex
      for (path, list, name, count) in [
        ("/api/1/sessions?limit=2", "sessions", "id", 9),
        ("/api/1/artifacts?limit=3", "artifacts", "artifact", 8),
        ("/api/1/search?q=fruit&limit=3", "hits", "entry", 8),
        ("/api/1/search?q=fruit&order=ranked&limit=3", "hits", "entry", 8),
        ("/api/1/tools/Draw/artifacts?limit=3", "artifacts", "recording", 8),
        ("/api/1/artifacts/\(one)/audit?limit=3", "attachments", "recording", 9),
        (path + "/attachments?limit=3", "attachments", "label", 8),
        (path + "/invocations?limit=3", "invocations", "id", 8),
      ] {
        let found = try await all(served, path, list, name)
        #expect(found.count == count, "\(path): \(found)")
        #expect(Set(found).count == count, "\(path)")
      }
      let forwards = try await all(
        served, path + "/entries?limit=3", "entries", "position", item: "from", first: "0")
      #expect(forwards == (0..<10).map(String.init))
      let backwards = try await all(
        served, path + "/entries?limit=3", "entries", "position", item: "before")
      #expect(backwards.count == 10 && Set(backwards).count == 10)
      #expect(backwards.prefix(3) == ["7", "8", "9"])
    }
  }

  @Test func `what is appended between two pages is neither missed nor told twice`() async throws {
    try await Served.run { served in
      let session = try await served.store.createSession()
      try await session.append((0..<4).map { .prompt("\($0)") })
      let path = "/api/1/sessions/\(session.id.uuidString.lowercased())/entries?limit=3&from="
      let first = try await served.json(path + "0")
      #expect(first["next"]?.stringValue == "3")
      try await session.append(.prompt("4"))
      let second = try await served.json(path + "3")
      #expect(second["entries"]?.arrayValue?.map { $0["text"]?.stringValue } == ["3", "4"])
      #expect(second["next"]?.isNull == true)
      #expect(second["previous"]?.stringValue == "3")
    }
  }
}
