import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeViewer

@Suite("Entries that a server draws")
struct DrawingTests {
  private let call = Entry.ToolCall(
    id: "c1", tool: "GenerateImage", arguments: #"{"content": "banana", "limit": 1}"#)
  private let place = FragmentPlace(
    artifacts: .served { "/artifacts/\($0.digest.hex)" }, entryURL: { "/s/1?at=\($0)#entry-\($0)" })

  private func page(_ drawn: [DrawnEntry]) throws -> WrittenPage {
    let whole = drawn.map { String(decoding: $0.html, as: UTF8.self) }.joined()
    return try WrittenPage(text: "<!DOCTYPE html>\n" + whole)
  }

  @Test func `they are what the page of the session has, with their artifacts at URLs`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append([.prompt("a banana"), .toolCalls([call])])
      let image = try await session.attach(
        Data(Picture.png), madeBy: call, caption: "a ripe banana")
      try await session.append([
        .toolOutput(for: call, text: "done"), .response("Here: ![](\(image.label))"),
      ])
      try await session.give(Array("a,b\n1,2\n".utf8), name: "table.csv", to: 3)
      let drawn = try await session.drawing(of: 0..<10, in: place)
      #expect(drawn.map(\.position) == [0, 1, 3])
      #expect(drawn.allSatisfy { $0.day?.count == 10 })
      let page = try page(drawn)
      let hex = try #require(image.artifact?.id.digest.hex)
      #expect(page.all("img").map { $0["src"] } == ["/artifacts/\(hex)"])
      #expect(!page.text.contains("base64"))
      #expect(page.element(id: "artifact-\(hex)-3")?.path.contains("article") == true)
      #expect(page.all("a", class: "chip").map { $0["href"] } == ["#artifact-\(hex)-3"])
      #expect(page.first("a", class: "save")?["href"]?.hasPrefix("/artifacts/") == true)
      #expect(page.first("a", class: "save")?["download"] == "table.csv")
      #expect(page.first("a", class: "position")?["href"] == "/s/1?at=0#entry-0")
      // Entry for entry, only the places of artifacts and entries differ.
      let whole = try await session.page(.init(artifacts: .none))
      let bare = try await session.drawing(of: 0..<10, in: .init(artifacts: .none))
      for entry in bare {
        #expect(whole.text.contains(String(decoding: entry.html, as: UTF8.self)))
      }
    }
  }

  @Test func `an output that comes later draws its call's entry anew, in its turn only`()
    async throws
  {
    try await withSession { session, _ in
      try await session.append([.prompt("a"), .toolCalls([call]), .response("wait")])
      try await session.append(.toolOutput(for: call, text: "an answer"))
      let drawn = try await session.drawing(of: 3..<4, in: place)
      #expect(drawn.map(\.position) == [1])
      let page = try page(drawn)
      #expect(page.element(id: "entry-1")?.text.contains("an answer") == true)
      #expect(page.element(id: "entry-3")?.path.contains("details") == true)
      try await session.append([.toolCalls([.init(id: "c2", tool: "Late")]), .prompt("b")])
      try await session.append(.toolOutput(callID: "c2", tool: "Late", segments: [.text("late")]))
      let late = try await session.drawing(of: 6..<7, in: place)
      #expect(late.map(\.position) == [6])
      #expect(try await session.drawing(of: 9..<12, in: place).isEmpty)
    }
  }

  @Test func `a draft is drawn as far as it has come`() async throws {
    try await withSession { session, _ in
      let draft = try await session.draft()
      draft.update("still **com")
      while try await session.drafts().first?.text.isEmpty ?? true {
        try await Task.sleep(for: .milliseconds(20))
      }
      let snapshot = try #require(try await session.drafts().first)
      let html = session.drawing(of: snapshot, in: place)
      #expect(String(decoding: html, as: UTF8.self).contains("still **com"))
      try await draft.cancel()
    }
  }

  @Test func `a session of forks is drawn as it reads`() async throws {
    try await withSession { session, _ in
      try await session.append([.prompt("a"), .toolCalls([call])])
      try await session.append(.toolOutput(for: call, text: "the parent's"))
      let fork = try await session.fork(before: 2)
      try await fork.append(.toolOutput(for: call, text: "the fork's"))
      let drawn = try await fork.drawing(of: 1..<3, in: place)
      #expect(drawn.map(\.position) == [1])
      let text = try page(drawn).text
      #expect(text.contains("the fork&#39;s") && !text.contains("the parent&#39;s"))
    }
  }

  @Test func `what only a script brings to life is drawn where one runs`() async throws {
    try await withSession { session, _ in
      try await session.append(.response("```swift\nlet a = 1\n```\n\n```\nplain\n```"))
      let live = try page(await session.drawing(of: 0..<1, in: place))
      #expect(live.all("button", class: "copy").count == 2)
      let still = FragmentPlace(artifacts: .none, runsScript: false)
      let dead = try page(await session.drawing(of: 0..<1, in: still))
      #expect(dead.all("button").isEmpty && dead.all("div", class: "bar").count == 1)
      let bare = try await session.page(.init(hasScript: false))
      #expect(bare.all("script").isEmpty && bare.all("button").isEmpty && bare.dangers.isEmpty)
      #expect(!bare.text.contains("script-src"))
    }
  }

  @Test func `A8: URLs that a server gives are attributes, whatever is in them`() async throws {
    try await withSession { session, _ in
      try await session.append(.prompt("look"))
      try await session.give(Picture.png, to: 0)
      let hostile = FragmentPlace(
        artifacts: .served { _ in "/a\"><script>alert(1)</script>" },
        entryURL: { _ in "/b\" onclick=\"alert(1)" })
      let page = try page(await session.drawing(of: 0..<1, in: hostile))
      #expect(page.all("script").isEmpty && page.all("img").count == 1)
      #expect(page.first("a", class: "position")?["href"] == "/b\" onclick=\"alert(1)")
    }
  }
}
