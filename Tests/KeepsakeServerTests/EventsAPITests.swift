import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import Testing

@testable import KeepsakeServer

@Suite("Programs follow what happens")
struct EventsAPITests {
  private func listen(_ served: Served, _ path: String) async throws -> Client {
    let client = try served.client()
    try await client.send(
      Asked(path: path, host: served.host, fields: [Served.authorization]).bytes())
    let head = try await client.wait(for: "\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 200"))
    #expect(head.contains("Content-Type: text/event-stream"))
    #expect(head.contains("X-Content-Type-Options: nosniff"))
    return client
  }

  /// The next event, as JSON.
  private func next(_ client: Client) async throws -> JSON {
    while true {
      let event = try await client.wait(for: "\n\n")
      let data = event.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
        $0.dropFirst(6)
      }
      if !data.isEmpty { return try JSON(validating: data.joined(separator: "\n")) }
    }
  }

  @Test func `of a session: what stands, what is appended, and that it is gone`() async throws {
    try await Served.run { served in
      let id = try await served.newSession()
      let client = try await listen(served, "/api/1/sessions/\(id)/events")
      let hello = try await next(client)
      #expect(hello["what"]?.stringValue == "hello")
      #expect(hello["entries"]?.intValue == 0)
      let mark = "canary-\(UUID().uuidString)"
      _ = try await served.send(
        "POST", "/api/1/sessions/\(id)/entries", json: #"{"kind": "prompt", "text": "\#(mark)"}"#)
      var appended = try await next(client)
      // A prompt also opens a turn.
      while appended["what"]?.stringValue == "now" { appended = try await next(client) }
      #expect(appended["what"]?.stringValue == "appended")
      #expect(appended["from"]?.intValue == 0)
      #expect(appended["to"]?.intValue == 1)
      #expect(appended["entries"]?.intValue == 1)
      #expect(!appended.text.contains(mark))
      _ = try await served.send("DELETE", "/api/1/sessions/\(id)")
      while try await next(client)["what"]?.stringValue != "deleted" {}
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `of a session that another machine writes to`() async throws {
    let folder = try TemporaryFolder()
    let hub = HubAddress.folder(folder.url.appending(path: "Hub"))
    try await Store.makeHub(at: hub)
    let other = try await Store(
      at: folder.url.appending(path: "Other.keepsake"), joining: hub, as: .shared)
    try await Served.run(sharing: hub) { served in
      let session = try await other.createSession(title: "Fruit")
      let client = try await listen(served, "/api/1/sessions/\(session.id)/events")
      let all = try await listen(served, "/api/1/events")
      #expect(try await next(client)["what"]?.stringValue == "hello")
      #expect(try await next(all)["what"]?.stringValue == "hello")
      try await session.append([.response("a"), .response("b")])
      var told = try await next(client)
      while told["what"]?.stringValue == "now" { told = try await next(client) }
      #expect(told["what"]?.stringValue == "appended")
      #expect(told["to"]?.intValue == 2)
      #expect(try await next(all)["session"]?.stringValue == "\(session.id)".lowercased())
    }
    await other.close()
  }

  /// The number of the newest event that a page of all conversations knows.
  private func drawn(_ served: Served) async throws -> Int64? {
    let page = try await served.send("GET", "/", [Served.authorization, ("Accept", "text/html")])
    let mark = try #require(page.text.range(of: "data-change=\""))
    return Int64(page.text[mark.upperBound...].prefix { $0 != "\"" })
  }

  @Test func `a page that listens in a moment is not drawn anew, unless something happened`()
    async throws
  {
    try await Served.run { served in
      _ = try await served.newSession()
      let first = try await drawn(served)
      #expect(try await next(try await listen(served, "/events"))["change"]?.intValue == first)
      let second = try await drawn(served)
      #expect(second == first)
      _ = try await served.newSession()
      let later = try await listen(served, "/events")
      // The event is told to who listens already, if it was not before.
      if try await next(later)["change"]?.intValue == second {
        #expect(try await next(later)["session"] != nil)
      }
    }
  }

  @Test func `a store is observed for a while after a page was drawn, and no longer`() async throws
  {
    let folder = try TemporaryFolder()
    let store = try await Store(at: folder.url.appending(path: "Chats.keepsake"))
    let live = LiveStreams(store, lingering: .milliseconds(50))
    #expect(!live.isObserving)
    let number = live.numberForPage()
    #expect(live.isObserving)
    #expect(live.numberForPage() == number)
    while live.isObserving { try await Task.sleep(for: .milliseconds(5)) }
    let stream = try await live.open(.store, of: nil) { "hello" }
    #expect(live.number == number + 1)
    try await Task.sleep(for: .milliseconds(100))
    #expect(live.isObserving)
    stream.close()
    while live.isObserving { try await Task.sleep(for: .milliseconds(5)) }
    live.close()
    await store.close()
  }

  @Test func `of the store: which session changed, also by others`() async throws {
    try await Served.run { served in
      let client = try await listen(served, "/api/1/events")
      let hello = try await next(client)
      #expect(hello["what"]?.stringValue == "hello")
      let id = try await served.newSession()
      let event = try await next(client)
      #expect(event["what"]?.stringValue == "session")
      #expect(event["session"]?.stringValue == id)
      let other = try await Store(at: served.folder.url.appending(path: "Chats.keepsake"))
      let session = try await other.session(try #require(UUID(uuidString: id)))
      try await session.append(.prompt("from elsewhere"))
      while try await next(client)["session"]?.stringValue != id {}
      await other.close()
    }
  }

  @Test func `whoever leaves is forgotten, and a server that stops ends its streams`() async throws
  {
    try await Served.run { served in
      let id = try await served.newSession()
      for _ in 0..<3 {
        for path in ["/api/1/events", "/api/1/sessions/\(id)/events"] {
          let client = try await listen(served, path)
          _ = try await next(client)
          #expect(served.server.listeners >= 1)
          client.socket.end()
        }
      }
      for path in ["/api/1/events", "/api/1/sessions/\(id)/events"] {
        let head = try await served.send("HEAD", path)
        #expect(head.status == 200)
        #expect(head.fields["Content-Type"] == "text/event-stream")
      }
      for _ in 0..<3000 where served.server.listeners > 0 {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(served.server.listeners == 0)
      let client = try await listen(served, "/api/1/events")
      _ = try await next(client)
      served.server.stop(within: .seconds(1))
      while try await client.receive() {}
    }
  }

  @Test func `of a session that is not there there is nothing`() async throws {
    try await Served.run { served in
      let answer = try await served.send("GET", "/api/1/sessions/\(UUID().uuidString)/events")
      #expect(answer.problem == "not-found")
      #expect(served.server.listeners == 0)
    }
  }
}
