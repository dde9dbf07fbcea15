import Foundation
import Testing

@testable import Keepsake

@Suite("Resuming a session")
struct ResumingTests {
  @Test func `what is for the person, another lane, or beside the conversation stays here`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var status = Entry.response("Drawing …")
      status.visibility = .person
      var route = Entry.response("draw")
      route.lane = "router"
      var prompt = Entry.prompt("a cup")
      prompt.lane = "chat"
      var note = Entry.prompt("An image of a cup was shown.")
      note.visibility = .model
      try await session.append([
        .instructions("Be kind."), prompt, route, .event("step: draw"), status, note,
        .response("Here it is."),
      ])
      var options = Resumption.Options(lane: "chat")
      let resumed = try await session.resume(options)
      #expect(resumed.entries.map(\.position) == [0, 1, 5, 6])
      #expect(
        resumed.notes == [
          .init(position: 2, action: .leftOut, reason: .lane("router")),
          .init(position: 3, action: .leftOut, reason: .event),
          .init(position: 4, action: .leftOut, reason: .hidden),
        ])
      options.lane = nil
      #expect(try await session.resume(options).entries.map(\.position) == [0, 1, 2, 5, 6])
    }
  }

  @Test func `attempts that came to nothing stay here, and what took their place goes out`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let first = try await session.openTurn()
      try await session.append([.prompt("one"), .response("half of")])
      try await session.close(first, .failed)
      let second = try await session.openTurn()
      try await session.append([.prompt("two"), .toolCalls([.init(tool: "Draw")])])
      try await session.close(second, .cancelled)
      var superseded = Entry.response("first")
      superseded.status = .superseded
      try await session.append([.prompt("three"), superseded, .response("second")])
      let open = try await session.openTurn()
      try await session.append(.prompt("four"))
      let resumed = try await session.resume()
      // The failed turn has a whole response, so it was answered after all.
      #expect(resumed.entries.map(\.text) == ["one", "half of", "three", "second", "four"])
      #expect(
        resumed.notes.map(\.reason) == [
          .noInstructions, .turn(.cancelled), .turn(.cancelled), .status(.superseded),
          .openTurn(open.number),
        ])
      var options = Resumption.Options()
      options.statuses = Set(Entry.Status.allCases)
      #expect(try await session.resume(options).entries.count == 9)
    }
  }

  @Test
  func `calls without outputs get a placeholder in their place, and outputs without calls go`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let calls = ["a", "b", "c"].map { Entry.ToolCall(id: $0, tool: "Draw") }
      try await session.append([
        .instructions("x"), .prompt("draw three"), .toolCalls(calls),
        .toolOutput(for: calls[0], text: "A"), .toolOutput(for: calls[2], text: "C"),
        .toolOutput(callID: "nobody", tool: "Draw", segments: [.text("?")]), .response("done"),
        .prompt("again"), .prompt("and again"), .toolCalls([calls[1]]),
      ])
      let resumed = try await session.resume()
      #expect(
        resumed.entries.map(\.text) == [
          "x", "draw three", "", "A", OutgoingList.noOutput, "C", "done", "again",
          OutgoingList.noAnswer, "and again", "", OutgoingList.noOutput,
        ])
      #expect(resumed.entries[4].callID == "b")
      #expect(
        resumed.notes == [
          .init(position: 2, action: .repaired, reason: .callWithoutOutput("b")),
          .init(position: 5, action: .leftOut, reason: .outputWithoutCall),
          .init(position: 7, action: .repaired, reason: .promptWithoutAnswer),
          .init(position: 9, action: .repaired, reason: .callWithoutOutput("b")),
        ])
      #expect(try await session.count() == 10)

      var options = Resumption.Options()
      options.heals = false
      let told = try await session.resume(options)
      #expect(told.entries.map(\.position) == Array(0..<10))
      #expect(told.notes.map(\.action) == Array(repeating: .noticed, count: 4))
    }
  }

  @Test func `a list begins with instructions, moved or given, where there are any`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("hello"), .response("hi")])
      var options = Resumption.Options()
      options.instructions = "Be kind."
      #expect(try await session.resume(options).entries.map(\.text) == ["Be kind.", "hello", "hi"])
      try await session.append(.instructions("Be brief."))
      #expect(try await session.resume(options).entries.map(\.position) == [2, 0, 1])
    }
  }

  @Test func `forks, revisions, erased entries and large texts resume as they read`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let large = String(repeating: "long ", count: 300_000)
      let call = Entry.ToolCall(id: "1", tool: "Read")
      try await session.append([
        .prompt("secret"), .toolCalls([call]), .toolOutput(for: call, text: "output"),
        .response("draft"), .prompt("next"), .response(large),
      ])
      try await session.revise(3, to: .response("final"))
      let fork = try await session.fork(before: 5)
      try await session.erase(0)
      try await session.erase(2)
      let texts = [OutgoingList.erased, "", OutgoingList.erasedOutput, "final", "next", large]
      #expect(try await session.resume().entries.map(\.text) == texts)
      #expect(try await fork.resume().entries.map(\.text) == Array(texts.prefix(5)))
      try await session.erase(1)
      let resumed = try await session.resume()
      #expect(resumed.entries.map(\.position) == [0, 3, 4, 5])
      #expect(
        resumed.notes.filter { $0.action == .leftOut }.map(\.reason) == [.erased, .erased])
    }
  }

  @Test func `a draft that a crash interrupted is told of`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).keepsake"
    let store = try Store(path: folder, options: .init(), registry: StoreRegistry())
    let session = try await store.createSession()
    try await session.append(.prompt("x"))
    let draft = try await session.draft()
    draft.update("half")
    try await draft.flush()
    await store.close()
    let again = try Store(path: folder, options: .init(), registry: StoreRegistry())
    let resumed = try await again.session(session.id).resume()
    #expect(resumed.notes.map(\.reason).contains(.interruptedDraft(draft.id)))
    try await again.removeTemporary()
  }

  @Test func `to a model that sees no images words tell of them, and references are respelled`()
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append(.instructions("x"))
      let png = Data(base64Encoded: Pixel.png) ?? Data()
      try await session.append(
        .prompt("what is this?"),
        attaching: [Entry.NewAttachment(.data(png), label: "image_1", caption: "a pixel")])
      var made = Entry.NewAttachment(
        .data(png + [0]), label: "portrait", caption: "a face", madeBy: .step("paint"))
      made.reference = "/tmp/T/face.png"
      let response = try await session.append(.response("A pixel: ![](/tmp/T/face.png)"))
      try await session.attach(made, to: response.position)
      var options = Resumption.Options(references: .labels)
      let seen = try await session.resume(options)
      #expect(seen.entries[1].segments.map(\.text) == ["what is this?", nil])
      #expect(seen.entries[2].text == "A pixel: ![](portrait)")
      #expect(seen.entries.allSatisfy { $0.kind != .toolCalls })
      options.seesImages = false
      let told = try await session.resume(options)
      #expect(told.entries[1].text == "what is this?\n[image placeholder] image_1: a pixel")
      #expect(
        told.entries[2].text == "A pixel: ![](portrait)\n[image placeholder] portrait: a face")
      #expect(told.notes.map(\.reason) == [.image("image_1"), .image("portrait")])
    }
  }
}
