import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Writing through the server")
struct WritingTests {
  @Test func `the same key and content is the same entry, and other content is refused`()
    async throws
  {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let digest = try await served.put(Fruit.png)
      let entry =
        #"{"kind": "response", "text": "Here.", "attachments": [{"artifact": "sha256:\#(digest)"}]}"#
      func append(_ json: String, key: String = "k-1") async throws -> Answer {
        try await served.send("POST", session + "/entries", json: json, [("Idempotency-Key", key)])
      }
      let first = try await append(entry)
      #expect(first.status == 201)
      // A quoted key is the same, and so is one in the entry.
      for (json, key) in [
        (entry, "k-1"), (entry, #""k-1""#),
        (entry.replacingOccurrences(of: #"{"kind""#, with: #"{"key": "k-1", "kind""#), "k-1"),
      ] {
        let again = try await append(json, key: key)
        #expect(again.status == 200, "\(again.text)")
        #expect(again.body == first.body)
      }
      let other = try await append(#"{"kind": "response", "text": "There."}"#)
      #expect(other.status == 409)
      #expect(other.problem == "conflict")
      #expect(try await append(entry, key: "k-2").json["position"]?.intValue == 1)
      let unequal = try await append(#"{"kind": "prompt", "key": "a"}"#, key: "b")
      #expect(unequal.problem == "invalid")
      for key in ["", "\"\"", String(repeating: "k", count: 256)] {
        #expect(try await append(entry, key: key).problem == "invalid", "\(key)")
      }
      let page = try await served.json(session + "/entries")
      #expect(page["entries"]?.arrayValue?.count == 2)
      #expect(try await served.json(session)["attachments"]?.intValue == 2)
    }
  }

  @Test func `of many who send the same entry at once, one makes it`() async throws {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      var clients: [Client] = []
      for _ in 0..<12 { clients.append(try served.client()) }
      for client in clients {
        try await client.send(
          Asked(
            method: "POST", path: session + "/entries", host: served.host,
            fields: [
              Served.authorization, ("Content-Type", "application/json"),
              ("Idempotency-Key", "one"),
            ], body: Array(#"{"kind": "prompt", "text": "once"}"#.utf8)
          ).bytes())
      }
      var positions: Set<Int64> = []
      for client in clients {
        let answer = try await client.answer()
        #expect([200, 201].contains(answer.status), "\(answer.text)")
        positions.insert(try #require(try answer.json["position"]?.intValue))
      }
      #expect(positions == [0])
      #expect(try await served.json(session)["entries"]?.intValue == 1)
    }
  }

  @Test func `a session and a fork are made once, however often they are asked for`() async throws {
    try await Served.run { served in
      let id = UUID().uuidString.lowercased()
      for status in [201, 200, 200] {
        let answer = try await served.send("POST", "/api/1/sessions", json: #"{"id": "\#(id)"}"#)
        #expect(answer.status == status)
        #expect(try answer.json["id"]?.stringValue == id)
      }
      let session = "/api/1/sessions/\(id)"
      for text in ["a", "b"] {
        _ = try await served.send(
          "POST", session + "/entries", json: #"{"kind": "prompt", "text": "\#(text)"}"#)
      }
      let fork = UUID().uuidString.lowercased()
      for status in [201, 200] {
        let answer = try await served.send(
          "POST", session + "/fork", json: #"{"id": "\#(fork)", "before": 1}"#)
        #expect(answer.status == status, "\(answer.text)")
      }
      let elsewhere = try await served.send(
        "POST", session + "/fork", json: #"{"id": "\#(fork)", "before": 2}"#)
      #expect(elsewhere.problem == "conflict")
      let taken = try await served.send("POST", session + "/fork", json: #"{"id": "\#(id)"}"#)
      #expect(taken.problem == "conflict")
      #expect(try await served.json("/api/1/sessions")["sessions"]?.arrayValue?.count == 2)
    }
  }

  @Test(
    "C9, E7: a body that is not what it should be changes nothing",
    arguments: [
      "", " ", "null", "[]", "1", "\"a\"", "{", #"{"kind": "prompt"}}"#, #"{"kind": "prompt"} {}"#,
      #"{"kind": "prompt", "kind": "response"}"#, #"{"kind": "song"}"#, #"{"text": "no kind"}"#,
      #"{"kind": "prompt", "text": 1}"#, #"{"kind": "prompt", "texts": "a"}"#,
      #"{"kind": "prompt", "text": "a", "text": "b"}"#,
      #"{"kind": "prompt", "segments": [{"text": "a", "text": "b"}]}"#,
      #"{"kind": "prompt", "attachments": [{"label": "x"}]}"#,
      #"{"kind": "prompt", "attachments": [{"artifact": "sha256:1"}]}"#,
      #"{"kind": "prompt", "attachments": ["x"]}"#, "\u{FEFF}{\"kind\": \"prompt\"}",
      "{'kind': 'prompt'}",
      #"{"kind": NaN}"#, #"{"kind": "prompt", "usage": 1e999999999}"#,
    ])
  func bodies(json: String) async throws {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let answer = try await served.send("POST", session + "/entries", json: json)
      if answer.status == 201 {
        // Only a number beyond all doubles, which is kept to the letter.
        #expect(json.contains("1e9"))
      } else {
        #expect(answer.status == 400, "\(answer.status) \(answer.text)")
        #expect(answer.problem == "invalid")
        #expect(try await served.json(session)["entries"]?.intValue == 0)
      }
    }
  }

  @Test func `E7: depth without end, and half a character, are told of`() async throws {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let deep = String(repeating: "[", count: 200_000)
      for body in [
        Array(#"{"kind": "prompt", "metadata": \#(deep)"#.utf8),
        Array(#"{"kind": "prompt", "text": ""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8),
      ] {
        let answer = try await served.send(
          "POST", session + "/entries",
          [Served.authorization, ("Content-Type", "application/json")],
          body: body)
        #expect(answer.problem == "invalid", "\(answer.status)")
      }
    }
  }

  @Test func `changes whose members are of other types, not known, or there twice, change nothing`()
    async throws
  {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let before = try await served.json(session)
      for (method, path, json) in [
        ("PATCH", session, #"{"title": 1}"#), ("PATCH", session, #"{"tags": "a"}"#),
        ("PATCH", session, #"{"tags": [1]}"#), ("PATCH", session, #"{"name": "a"}"#),
        ("PATCH", session, #"{"title": "a", "title": "b"}"#),
        ("PATCH", session, #"{"metadata": []}"#),
        ("PATCH", session, #"{"tags": [""]}"#), ("PATCH", session, "[]"),
        ("POST", "/api/1/sessions", #"{"id": "1"}"#), ("POST", "/api/1/sessions", #"{"id": 1}"#),
        ("POST", "/api/1/sessions", #"{"titel": "a"}"#),
        ("POST", session + "/fork", #"{"before": -1}"#),
        ("POST", session + "/fork", #"{"before": 9}"#),
        ("POST", session + "/fork", #"{"before": "1"}"#),
        ("POST", session + "/fork", #"{"before": 1.5}"#), ("POST", session + "/attachments", "{}"),
        ("POST", session + "/attachments", #"{"artifact": "x"}"#),
      ] {
        let answer = try await served.send(method, path, json: json)
        #expect(answer.problem == "invalid", "\(method) \(json): \(answer.text)")
      }
      #expect(try await served.json(session) == before)
      #expect(try await served.json("/api/1/sessions")["sessions"]?.arrayValue?.count == 1)
    }
  }

  @Test func `C9: a body that is too large, compressed or cut off is none`() async throws {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let large = try served.client()
      try await large.send(
        Asked(
          method: "PATCH", path: session, host: served.host,
          fields: [
            Served.authorization, ("Content-Type", "application/json"),
            ("Content-Length", "\((1 << 20) + 1)"),
          ], body: Array(#"{"title": "#.utf8)
        ).bytes())
      #expect(try await large.answer().problem == "too-large")
      let question = try await served.send("DELETE", session, [Served.authorization], body: [1])
      #expect(question.problem == "too-large")
      let packed = try await served.send(
        "POST", session + "/entries", json: "{}", [("Content-Encoding", "gzip")])
      #expect(packed.status == 415)
      let client = try served.client()
      let asked = Asked(
        method: "POST", path: session + "/entries", host: served.host,
        fields: [
          Served.authorization, ("Content-Type", "application/json"), ("Content-Length", "1000"),
        ],
        body: Array(#"{"kind": "prompt"}"#.utf8))
      try await client.send(asked.bytes())
      client.socket.endSending()
      #expect(try await client.answer().status == 400)
      #expect(try await served.json(session)["entries"]?.intValue == 0)
      // An entry may be larger than a change of a session.
      let text = String(repeating: "long ", count: 500_000)
      let long = try await served.send(
        "POST", session + "/entries", json: #"{"kind": "prompt", "text": "\#(text)"}"#)
      #expect(long.status == 201)
      let stored = try await served.json(session + "/entries/0")
      #expect(stored["text"]?.stringValue == text)
    }
  }

  @Test func `an entry that names an artifact which is not there is not appended`() async throws {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      let digest = SHA256.digest(of: Fruit.png).hex
      let entry = #"{"kind": "prompt", "attachments": [{"artifact": "sha256:\#(digest)"}]}"#
      for (path, json) in [
        ("/entries", entry), ("/attachments", #"{"artifact": "sha256:\#(digest)"}"#),
      ] {
        let answer = try await served.send("POST", session + path, json: json)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.problem == "artifact-unknown")
      }
      #expect(try await served.json(session)["entries"]?.intValue == 0)
      _ = try await served.put(Fruit.png)
      #expect(try await served.send("POST", session + "/entries", json: entry).status == 201)
      let elsewhere = "/api/1/sessions/\(UUID().uuidString)/entries"
      #expect(try await served.send("POST", elsewhere, json: entry).problem == "not-found")
    }
  }

  @Test func `attachments of a file that was sent before, to an entry or to the session`()
    async throws
  {
    try await Served.run { served in
      let session = "/api/1/sessions/\(try await served.newSession())"
      _ = try await served.send(
        "POST", session + "/entries", json: #"{"kind": "prompt", "text": "a"}"#)
      let digest = try await served.put(Fruit.png)
      func attach(_ more: String) async throws -> Answer {
        try await served.send(
          "POST", session + "/attachments", json: #"{"artifact": "sha256:\#(digest)"\#(more)}"#)
      }
      let one = try await attach(
        #", "position": 0, "label": "cup", "mediaType": "image/png", "fileName": "cup.png", "caption": "a cup""#
      )
      #expect(one.status == 201)
      #expect(try one.json["caption"]?.stringValue == "a cup")
      #expect(try one.json["maker"]?.stringValue == "user")
      // Sent again, because the first answer was lost.
      let again = try await attach(#", "position": 0, "label": "cup""#)
      #expect(again.status == 200)
      #expect(again.body == one.body)
      #expect(try await attach(#", "position": 5"#).problem == "invalid")
      let free = try await attach("")
      #expect(free.status == 201)
      #expect(try free.json["position"] == nil)
      #expect(
        try await attach(#", "maker": "step", "tool": "Draw""#).json["tool"]?.stringValue == "Draw")
      #expect(try await attach(#", "maker": "response""#).json["direction"]?.stringValue == "made")
      for wrong in [#", "maker": "somebody""#, #", "maker": "step""#, #", "maker": "toolCall""#] {
        #expect(try await attach(wrong).problem == "invalid", "\(wrong)")
      }
      let other = try await served.put([1, 2, 3])
      let taken = try await served.send(
        "POST", session + "/attachments", json: #"{"artifact": "sha256:\#(other)", "label": "cup"}"#
      )
      #expect(taken.problem == "conflict")
      let list = try await served.json(session + "/attachments")
      #expect(list["attachments"]?.arrayValue?.count == 4)
      let entry = try await served.json(session + "/entries/0")
      #expect(entry["attachments"]?.arrayValue?.count == 1)
    }
  }

  @Test func `what others write is seen, and what is written here others see`() async throws {
    try await Served.run { served in
      let id = try await served.newSession()
      let url = served.folder.url.appending(path: "Chats.keepsake")
      var options = StoreServer.Options()
      options.token = Served.token
      let store = try await Store(at: url)
      let other = try StoreServer(store, options)
      let port = try #require(other.port)
      for number in 0..<6 {
        let (client, host) =
          number % 2 == 0
          ? (try served.client(), served.host) : (try Client(port: port), "127.0.0.1:\(port)")
        try await client.send(
          Asked(
            method: "POST", path: "/api/1/sessions/\(id)/entries", host: host,
            fields: [
              Served.authorization, ("Content-Type", "application/json"),
              ("Idempotency-Key", "k\(number / 2)"),
            ], body: Array(#"{"kind": "prompt", "text": "\#(number / 2)"}"#.utf8)
          ).bytes())
        let answer = try await client.answer()
        #expect(answer.status == (number % 2 == 0 ? 201 : 200), "\(number): \(answer.text)")
        #expect(try answer.json["position"]?.intValue == Int64(number / 2))
      }
      other.stop(within: .milliseconds(500))
      await store.close()
    }
  }
}
