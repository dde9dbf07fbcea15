import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Deleting while others look")
struct DeletionTests {
  @Test func `G9: a session that was deleted is in no answer, and nowhere in the store`()
    async throws
  {
    try await Served.run { served in
      let mark = "canary\(UUID().uuidString.replacingOccurrences(of: "-", with: ""))"
      let id = try await served.newSession(mark)
      let path = "/api/1/sessions/\(id)"
      let bytes = Array("\(mark) in an artifact".utf8) + [UInt8](repeating: 7, count: 200_000)
      let digest = try await served.put(bytes)
      let entry =
        #"{"kind": "prompt", "text": "\#(mark)", "attachments": [{"artifact": "sha256:\#(digest)"}]}"#
      #expect(try await served.send("POST", path + "/entries", json: entry).status == 201)
      #expect(try await served.json("/api/1/search?q=\(mark)")["hits"]?.arrayValue?.count == 1)
      #expect(try await served.send("DELETE", path).status == 204)
      for rest in [
        "", "/entries", "/entries/0", "/entries/0/revisions", "/forks", "/metadata", "/attachments",
        "/invocations", "/audit", "/events",
      ] {
        let answer = try await served.send("GET", path + rest)
        #expect(answer.problem == "not-found", "\(rest)")
      }
      for (method, rest) in [
        ("PATCH", ""), ("POST", "/entries"), ("POST", "/fork"), ("POST", "/attachments"),
      ] {
        let json =
          rest == "/entries"
          ? #"{"kind": "prompt"}"#
          : rest == "/attachments" ? #"{"artifact": "sha256:\#(digest)"}"# : "{}"
        let answer = try await served.send(method, path + rest, json: json)
        #expect(answer.problem == "not-found", "\(method) \(rest): \(answer.text)")
      }
      #expect(try await served.json("/api/1/search?q=\(mark)")["hits"]?.arrayValue?.isEmpty == true)
      #expect(try await served.send("GET", "/api/1/artifacts/\(digest)").status == 404)
      // Each file of the store but those that tell of now.
      let store = served.folder.url.appending(path: "Chats.keepsake")
      for case let file as URL in FileManager.default.enumerator(
        at: store, includingPropertiesForKeys: nil) ?? .init()
      {
        // Nothing but SQLite opens the database while it is open in this process.
        guard file.lastPathComponent.hasPrefix("store.sqlite") == false,
          let contents = try? Data(contentsOf: file)
        else { continue }
        #expect(contents.range(of: Data(mark.utf8)) == nil, "\(file.lastPathComponent)")
      }
      await served.store.close()
      for name in ["store.sqlite", "store.sqlite-wal"] {
        let contents = (try? Data(contentsOf: store.appending(path: name))) ?? Data()
        #expect(contents.range(of: Data(mark.utf8)) == nil, "\(name)")
      }
    }
  }

  @Test func `G10: an artifact that another session has stays`() async throws {
    try await Served.run { served in
      let digest = try await served.put(Fruit.png)
      var paths: [String] = []
      for _ in 0..<2 {
        let path = "/api/1/sessions/\(try await served.newSession())"
        _ = try await served.send(
          "POST", path + "/entries",
          json: #"{"kind": "prompt", "attachments": [{"artifact": "sha256:\#(digest)"}]}"#)
        paths.append(path)
      }
      #expect(try await served.send("DELETE", paths[0]).status == 204)
      #expect(try await served.send("GET", "/api/1/artifacts/\(digest)").body == Fruit.png)
      #expect(try await served.send("DELETE", paths[1]).status == 204)
      #expect(try await served.send("GET", "/api/1/artifacts/\(digest)").status == 404)
    }
  }

  @Test
  func `whoever reads a session while it is deleted gets it whole, or is told that it is gone`()
    async throws
  {
    try await Served.run { served in
      for _ in 0..<4 {
        let session = try await served.store.createSession(title: "short")
        try await session.append((0..<60).map { .prompt("part \($0)") })
        let path = "/api/1/sessions/\(session.id.uuidString.lowercased())"
        let readers = (0..<4).map { _ in
          Task {
            var last = 0
            for _ in 0..<200 {
              let answer = try await served.send("GET", path + "/entries?limit=100")
              last = answer.status
              if answer.status == 200 {
                #expect(try answer.json["entries"]?.arrayValue?.count == 60)
              } else {
                #expect(answer.problem == "not-found")
                return last
              }
            }
            return last
          }
        }
        let deleted = try await served.send("DELETE", path)
        #expect(deleted.status == 204)
        for reader in readers { #expect(try await reader.value == 404) }
      }
    }
  }

  @Test func `a large artifact that is being sent when its session goes is sent whole, or cut off`()
    async throws
  {
    try await Served.run { served in
      let bytes = [UInt8](repeating: 7, count: 20_000_000)
      let session = try await served.store.createSession()
      let attachment = try await session.attach(.init(.bytes(bytes)))
      let hex = try #require(attachment.artifact?.id.digest.hex)
      let client = try served.client()
      try await client.send(
        Asked(path: "/api/1/artifacts/\(hex)", host: served.host, fields: [Served.authorization])
          .bytes())
      _ = try await client.receive()
      try await served.store.deleteSession(session.id)
      do {
        let answer = try await client.answer()
        #expect(answer.status == 200)
        #expect(answer.body == bytes)
      } catch is Client.Ended {
        // Fewer bytes than were promised: the client sees that something is missing.
      }
      #expect(try await served.send("GET", "/api/1/artifacts/\(hex)").status == 404)
    }
  }
}
