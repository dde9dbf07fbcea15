import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

extension Store {
  /// Fills an empty store with everything that it can hold, made by every operation there is.
  func fillWithEverything(_ folder: URL) async throws {
    try await fillConversation()
    try await fillForks()
    try await fillImports(folder)
    _ = try await createSession(title: "Empty", created: Date(timeIntervalSince1970: 0))
  }

  private func fillConversation() async throws {
    let session = try await createSession(
      title: "Fruit \u{1F34C}", origin: "test", foreignID: "f-1", tags: ["b", "a\"ä"],
      metadata: try JSON(validating: "{\n  \"pretty\" : [1.50, true]\n}"))
    var instructions = Entry.instructions("You draw fruit.")
    instructions.tags = ["important"]
    try await session.append(instructions)
    let turn = try await session.openTurn()
    let pixel = try #require(Data(base64Encoded: Self.pixel))
    let photo = Entry.NewAttachment(
      .data(pixel), mediaType: MediaType("image/png"), fileName: "photo \u{E4}.png", label: "photo",
      caption: "a table", madeBy: .user)
    try await session.append(.prompt("Draw a banana like the one in photo."), attaching: [photo])
    let drawing = Entry.ToolCall(id: "call-1", tool: "Draw", arguments: "{\"what\":  \"banana\"}")
    let looking = Entry.ToolCall(id: "call-2", tool: "Look", arguments: "no JSON")
    try await session.append(.toolCalls([drawing, looking]))
    let run = try await session.begin(
      .tool, "Draw",
      .init(
        arguments: drawing.arguments, implementation: "Draw.swift", version: "1", model: "painter",
        parameters: #"{"seed": 1}"#), callID: drawing.id)
    let photoID = try #require(try await session.attachment("photo").artifact?.id)
    var made = Entry.NewAttachment(
      .data(Data(repeating: 7, count: 150_000)), caption: "a banana", madeBy: .invocation(run))
    made.inputs = [.artifact(photoID), .entry(1)]
    let banana = try await session.attach(made)
    var remote = Entry.NewAttachment.awaited(
      .remote, reference: "https://example.org/banana.png", madeBy: .toolCall(looking))
    remote.place = .pointer("/images/0")
    try await session.attach(remote)
    let pending = try await session.attach(.awaited(madeBy: .toolCall(looking)))
    try await session.attach(.awaited(madeBy: .step("Never")))
    let failed = try await session.attach(.awaited(madeBy: .step("Failing")))
    try await session.settle(pending, with: .bytes(Array("came later".utf8)))
    try await session.settle(failed, as: .failed)
    try await session.caption(banana, "yellow", author: "a person")
    try await session.end(run, .finished, output: "file_1", detail: "well")
    let step = try await session.begin(.step, "Thumbnail")
    try await session.end(step, .failed, detail: "no space")
    _ = try await session.begin(.tool, "Unended")
    try await session.append(.toolOutput(for: drawing, text: "Made file_1."))
    try await session.append(
      .toolOutput(
        callID: looking.id, tool: "Look",
        segments: [.structure(try JSON(validating: "{\n\t\"images\" : [ ]\n}"), schema: "Images")]))
    var answer = Entry.response("Here it is")
    answer.key = "answer"
    answer.lane = "chat"
    answer.author = "assistant"
    answer.model = "large"
    try await session.append(answer)
    answer.segments = [.text("Here is file_1")]
    try await session.revise(5, to: answer)
    answer.segments = [.text("Here is file_1, a banana.")]
    answer.status = .failed
    try await session.revise(5, to: answer)
    var ranged = Entry.NewAttachment(.data(Data("a range".utf8)), madeBy: .response)
    ranged.segment = 0
    ranged.place = .range(8..<14)
    ranged.label = "photo"
    try await session.attach(ranged, to: 5)
    let sketch = try await session.attach(
      .init(.data(Data("unbound".utf8)), madeBy: .step("Sketch")))
    try await session.bind(sketch, to: 5)
    try await session.close(turn, .answered, detail: "quickly")
    _ = try await session.openTurn()
    try await session.append(.prompt("Much: " + String(repeating: "lots of text ", count: 90_000)))
    let secret = Entry.ToolCall(id: "call-3", tool: "Secret", arguments: #"{"password": 1}"#)
    try await session.append(.toolCalls([secret]))
    let telling = try await session.begin(
      .tool, "Secret", .init(arguments: secret.arguments), callID: secret.id)
    try await session.end(telling, .finished, output: "secret")
    try await session.append(.toolOutput(for: secret, text: "the secret"))
    try await session.attach(.init(.data(Data("a secret".utf8)), madeBy: .user), to: 8)
    try await session.erase(7)
    try await session.erase(8)
    try await session.erase(sketch)
    var note = Entry.event("for the person alone")
    note.visibility = .person
    note.metadata = try JSON(validating: #"{"a":{"b":[1e400,"\ud800"]}}"#)
    try await session.append(note)
    try await session.save(
      session.entries.all() + [.prompt("Saved"), .response("as a whole transcript")])
  }

  private func fillForks() async throws {
    let root = try await createSession(title: "Root")
    for number in 0..<6 {
      try await root.append(.prompt("\(number)"), attaching: [])
      try await root.attach(
        .init(.data(Data("root \(number)".utf8)), label: "root_\(number)", madeBy: .user),
        to: number)
    }
    let fork = try await root.fork(before: 4, title: "Fork")
    try await fork.append(.response("fork"))
    try await fork.attach(.init(.data(Data("on shared".utf8)), madeBy: .user), to: 1)
    let inner = try await fork.fork(before: 5, title: "Inner")
    try await inner.append(.response("inner"))
    try await inner.append(.goingBack(to: 3))
    try await root.revise(1, to: .prompt("one, revised"))
    try await fork.fork(before: 2, title: "Early").append(.response("early"))

    // More than a block of the index of keys.
    func keyed(_ number: Int) -> Entry {
      var entry = Entry.response("keyed \(number)")
      entry.key = "key \(number)"
      return entry
    }
    let keys = try await createSession(title: "Keys")
    try await keys.append((0..<20).map(keyed))
    try await keys.fork(before: 18, title: "More keys").append((18..<35).map(keyed))

    let gone = try await createSession(title: "Gone")
    for number in 0..<4 { try await gone.append(.prompt("gone \(number)")) }
    let left = try await gone.fork(before: 2, title: "Left")
    try await left.append(.response("left"))
    try await deleteSession(gone.id)
  }

  private func fillImports(_ folder: URL) async throws {
    for name in Fixtures.apple {
      _ = try await importing(try Fixtures.bytes("apple/\(name)"), in: folder)
    }
    _ = try await importing(try Fixtures.bytes("anylanguagemodel/all.json"), in: folder)
    let image = Data(repeating: 9, count: 3000).base64EncodedString()
    func entry(_ id: String, _ text: String) -> String {
      #"{"prompt":{"_0":{"id":"\#(id)","segments":[{"text":{"_0":{"id":"\#(id)s","content":"\#(text)"}}}],"options":{}}}}"#
    }
    let first = #"{"entries":[\#(entry("g1", "first")),  \#(entry("g2", image))"#
    _ = try await importing(Array((first + "]}").utf8), in: folder)
    let grown = try await importing(
      Array((first + ", \(entry("g3", "third"))\n]}").utf8), in: folder)
    #expect(grown.sessions.map(\.added) == [1])
    try await session(#require(grown.sessions.first).id).erase(0)
  }

  /// All sessions, the oldest first.
  func allSessions() async throws -> [Session] {
    var sessions: [Session] = []
    for summary in try await self.sessions(limit: 1000).sessions {
      sessions.append(try await session(summary.id))
    }
    return sessions
  }

  /// One pixel, as PNG.
  private static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}

/// The verifier that shares no code with Keepsake.
enum SecondVerifier {
  /// What it found to be wrong; nothing where all is well.
  static func faults(in store: URL) throws -> String {
    let run = try ProgramRun(
      "python3", "-B", Fixtures.root.appending(path: "tools/verify-chain.py").path, store.path)
    return run.exitCode == 0 ? "" : run.errors + "!"
  }
}

extension Codec where Self: CollectionCodec {
  /// Sessions as a file in memory.
  static func bytes(
    of sessions: [Session], _ artifacts: ExportOptions.Artifacts? = .inline,
    place: (@Sendable (Artifact, String) async throws -> String)? = nil
  ) async throws -> [UInt8] {
    let output = Locked<[UInt8]>([])
    _ = try await write(
      sessions, as: format.name, ExportOptions(artifacts: artifacts),
      into: ExportOutput(take: { piece in output.withLock { $0 += piece } }, place: place))
    return output.withLock { $0 }
  }
}
