import Foundation
import FoundationModels
import Keepsake
import Testing

@testable import KeepsakeFoundationModels

struct `A kept tool` {
  @Test func `has the files taken in that its output names, from allowed folders alone`()
    async throws
  {
    try await withSession { session, _, folder in
      let drawn = folder.appending(path: "drawn")
      try FileManager.default.createDirectory(at: drawn, withIntermediateDirectories: true)
      let keeper = Keeper(session)
      let tool = keeper.keeping(DrawFile(folder: drawn), filesFrom: [drawn])
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [.call([("DrawFile", #"{"content": "banana"}"#)]), .say("Drawn.")]
        ]), tools: [tool])
      try await keeper.turn("draw", in: model) { try await model.respond(to: "draw") }
      try FileManager.default.removeItem(at: drawn)

      let attachments = try await session.attachments()
      #expect(attachments.map(\.state) == [.present, .missing])
      #expect(attachments[0].fileName == "a banana.png")
      #expect(attachments[0].reference == drawn.appending(path: "a banana.png").path)
      let output = try #require(
        try await session.entries.all().first { $0.kind == .toolOutput })
      #expect(output.attachments.map(\.id) == attachments.map(\.id))
      let bytes = try await output.attachments[0].data()
      #expect(String(decoding: bytes, as: UTF8.self) == "banana")
    }
  }

  @Test func `keeps what it hands over together as made by its run`() async throws {
    try await withSession { session, _, _ in
      let tool = Keeper(session).keeping(DrawTwo())
      let said = try await tool.call(arguments: GeneratedContent(json: #"{"content": "cup"}"#))
      #expect(said == "ripe unripe")
      let run = try #require(try await session.invocations().first)
      let attachments = try await session.attachments()
      #expect(attachments.map(\.label) == ["ripe", "unripe"])
      #expect(attachments.map(\.invocation) == [run.id, run.id])
      #expect(attachments.map(\.direction) == [.made, .made])
    }
  }

  @Test func `is to the model the tool that it wraps`() async throws {
    try await withSession { session, _, _ in
      let tool = Keeper(session).keeping(Draw())
      #expect(tool.name == "Draw")
      #expect(tool.description == "Draws a fruit.")
      #expect(tool.includesSchemaInInstructions)
      #expect(Transcript.ToolDefinition(tool: tool) == Transcript.ToolDefinition(tool: Draw()))
    }
  }

  @Test func `is wrapped with others of other types, and each is to the model what it was`()
    async throws
  {
    try await withSession { session, _, folder in
      let keeper = Keeper(session)
      let tools: [any Tool] = [Draw(), DrawTwo(), DrawFile(folder: folder)]
      let kept = keeper.keeping(tools, filesFrom: [folder])
      #expect(kept.map(\.name) == tools.map(\.name))
      #expect(tools.map { keeper.keeping($0) }.map(\.name) == tools.map(\.name))
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [
          [
            .call([
              Fruit.call("banana"), ("DrawTwo", #"{"content": "cup"}"#),
              ("DrawFile", #"{"content": "plum"}"#),
            ]), .say("Drawn."),
          ]
        ]), tools: kept)
      try await keeper.turn("draw", in: model) { try await model.respond(to: "draw") }
      let runs = try await session.invocations()
      #expect(Set(runs.map(\.name)) == ["Draw", "DrawTwo", "DrawFile"])
      #expect(runs.allSatisfy { $0.outcome == .finished })
      #expect(
        Set(runs.compactMap { $0.description.implementation?.split(separator: ".").last })
          == ["Draw", "DrawTwo", "DrawFile"])
      // The file that it named, from the folder that is allowed; one that it named is missing.
      let files = try await session.attachments().filter { $0.tool == "DrawFile" }
      #expect(files.map(\.state) == [.present, .missing])
    }
  }

  @Test func `that fails is told from others by the tool that it wraps`() async throws {
    try await withSession { session, _, _ in
      let keeper = Keeper(session)
      let model = LanguageModelSession(
        model: SystemLanguageModel(script: [[.call([Fruit.call("cherry")]), .say("never")]]),
        tools: [keeper.keeping(Draw(isRotten: { $0.content == "cherry" }))])
      let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await keeper.turn("fruit", in: model) { try await model.respond(to: "fruit") }
      }
      let tool = try #require(error?.tool)
      #expect((tool as? KeptTool<Draw>)?.base.name == "Draw")
      #expect(error?.baseTool is Draw)
      let bare = LanguageModelSession.ToolCallError(tool: DrawTwo(), underlyingError: Rotten())
      #expect(bare.baseTool is DrawTwo)
    }
  }

  @Test func `ends its run as failed where its arguments are not those of the tool`() async throws {
    try await withSession { session, _, _ in
      let tool = Keeper(session).keeping(Draw())
      let arguments = try GeneratedContent(json: #"{"vegetable": 1}"#)
      await #expect(throws: (any Error).self) { try await tool.call(arguments: arguments) }
      let run = try #require(try await session.invocations().first)
      #expect(run.outcome == .failed)
      #expect(run.description.arguments == #"{"vegetable": 1}"#)
    }
  }

  @Test func `tells observers how far it has got`() async throws {
    try await withSession { session, _, _ in
      var events = session.events.makeAsyncIterator()
      let tool = Keeper(session).keeping(Draw())
      _ = try await tool.call(arguments: GeneratedContent(json: #"{"content": "banana"}"#))
      while let event = await events.next() {
        if case .progress(_, _, let fraction, let note) = event {
          #expect(fraction == 0.5)
          #expect(note == "half a banana")
          break
        }
      }
    }
  }
}
