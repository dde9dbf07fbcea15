import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Sessions from anywhere, written so that a coding agent goes on with them.
@Suite("A session that is handed over")
struct HandOverTests {
  static let agents = ["claude-code", "codex", "gemini-cli"]

  /// Writes a session as an agent has it, and checks that the agent and its service would take it.
  private func handOver(
    _ session: Session, to agent: String, _ options: ExportOptions = .init(),
    location: SourceLocation = #_sourceLocation
  ) async throws -> (text: String, losses: Losses) {
    let (bytes, losses) = try await session.exported(as: agent, options: options)
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(
      try await Format.recognised(in: url)?.name == agent, sourceLocation: location)
    let rescue = try Rescue(path: url.path)
    #expect(rescue.report.findings == [], "\(agent)", sourceLocation: location)
    return (String(decoding: bytes, as: UTF8.self), losses)
  }

  /// What a conversation says, one thing after the other, however it is cut into entries.
  private func said(_ session: Session) async throws -> [String] {
    var said: [String] = []
    for try await entry in session.entries {
      switch entry.kind {
      case .toolCalls:
        for call in entry.toolCalls {
          said.append("call \(call.tool) \(call.arguments)")
        }
      case .prompt, .response, .toolOutput:
        for segment in entry.segments {
          if let text = segment.text { said.append("\(entry.kind) \(text)") }
        }
        for attachment in entry.attachments where attachment.direction != .content {
          said.append("\(entry.kind) \(attachment.artifact?.id.description ?? "nothing")")
        }
      default: break
      }
    }
    return said
  }

  /// A talk with images from both sides, and tools that were called at the same time.
  private func talk(in store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Fruit")
    try await session.append(
      .prompt("What is this?"), attaching: [.init(.data(Data(Picture.png(9, 9))))])
    try await session.append(.response("Let me look."))
    let look = Entry.ToolCall(id: "c-1", tool: "Look", arguments: #"{"at":"it"}"#)
    let list = Entry.ToolCall(id: "c-2", tool: "List", arguments: "{}")
    try await session.append(.toolCalls([look, list]))
    try await session.append(.toolOutput(for: look, text: "A banana."))
    try await session.append(.toolOutput(for: list, text: "fruit.txt"))
    try await session.append(.response("It is a banana."))
    try await session.append(.prompt("And now?"))
    try await session.append(.response("Still one."))
    return session
  }

  @Test(arguments: agents)
  func `is one that the agent takes, and says the same when it comes back`(agent: String)
    async throws
  {
    try await withStore { store, folder in
      let session = try await talk(in: store)
      let (text, losses) = try await handOver(session, to: agent)
      #expect(losses.isEmpty, "\(losses)")
      let file = folder.appending(path: "back.jsonl")
      try Data(text.utf8).write(to: file)
      let report = try await store.importFile(at: file, format: agent)
      #expect(report.skipped.isEmpty, "\(report.skipped)")
      let back = try await store.session(report.sessions[0].id)
      let (before, after) = (try await said(session), try await said(back))
      #expect(before == after)
      // The same file again, from what came back: given back to the byte.
      #expect(try await back.exported(as: agent).bytes == Array(text.utf8))
      // What was added since is in a new one.
      try await back.append(.prompt("More?"))
      try await back.append(.response("More."))
      #expect(try await handOver(back, to: agent).text.contains("More?"))
    }
  }

  @Test(arguments: agents)
  func `is one that the agent takes, whatever it holds`(agent: String) async throws {
    try await withStore { store, folder in
      let made = try await EverythingSession.make(in: store)
      let rich = try await RichSession.make(in: store)
      for session in [made.session, made.fork, rich] {
        for artifacts in [ExportOptions.Artifacts.inline, .none] {
          _ = try await handOver(session, to: agent, .init(artifacts: artifacts))
        }
      }
      for seed in UInt64(0)..<12 {
        var random = RandomConversation(seed: seed)
        let file = folder.appending(path: "\(seed).json")
        try await Data(AnthropicCodec.written(random.entries()).bytes).write(to: file)
        let report = try await store.importFile(at: file, format: "anthropic")
        for imported in report.sessions {
          _ = try await handOver(store.session(imported.id), to: agent)
        }
      }
    }
  }

  private static let ways = agents.flatMap { first in agents.map { (first, $0) } }

  @Test(arguments: ways)
  func `says the same after it went to another agent and back, but for what was told`(
    first: String, second: String
  ) async throws {
    try await withStore { store, folder in
      func carry(_ session: Session, to agent: String, _ losses: inout Losses) async throws
        -> Session
      {
        // What came from an agent is written anew for it, too.
        var options = ExportOptions()
        options.folder = "/home/alice/fruit"
        let (text, lost) = try await handOver(session, to: agent, options)
        losses.add(lost)
        let file = folder.appending(path: "\(UUID().uuidString).jsonl")
        try Data(text.utf8).write(to: file)
        // A store of its own: a file of the same ids would go on with the session that it came from.
        let place = folder.appending(path: "\(UUID().uuidString).keepsake")
        let store = try await Store(at: place)
        return try await store.session(store.importFile(at: file).sessions[0].id)
      }
      var compared = 0
      for seed in UInt64(0)..<10 {
        var random = RandomConversation(seed: seed)
        let file = folder.appending(path: "\(seed).json")
        try await Data(AnthropicCodec.written(random.entries()).bytes).write(to: file)
        let imported = try await store.importFile(at: file, format: "anthropic").sessions[0].id
        var losses = Losses()
        let one = try await carry(store.session(imported), to: first, &losses)
        losses = Losses()
        let other = try await carry(one, to: second, &losses)
        let back = try await carry(other, to: first, &losses)
        // What is compared loses nothing by these.
        guard losses.counts.keys.allSatisfy({ $0 == .ids || $0 == .details }) else { continue }
        compared += 1
        let (before, after) = (try await said(one), try await said(back))
        #expect(before == after, "seed \(seed)")
      }
      #expect(compared > 2)
    }
  }

  @Test(arguments: agents)
  func `has no call without an output, and ids that every service takes`(agent: String)
    async throws
  {
    try await withStore { store, _ in
      let session = try await store.createSession()
      try await session.append(.instructions("Be brief."))
      try await session.append(.response("Hello."))
      try await session.append(.prompt("Go."))
      try await session.append(.reasoning("Hm."))
      for text in ["first", "second"] {
        let call = Entry.ToolCall(id: "call:1 ü", tool: "Bash", arguments: "{}")
        try await session.append(.toolCalls([call]))
        try await session.append(.toolOutput(for: call, text: text))
      }
      try await session.append(
        .toolCalls([.init(id: "open", tool: "Bash", arguments: "not JSON")]))
      try await session.append(.prompt("Well?"))
      try await session.append(.response("Done."))
      let (text, losses) = try await handOver(session, to: agent)
      #expect(losses[.instructions] == 1 && losses[.reasoning] == 1, "\(losses)")
      #expect(losses[.ids] == 2, "\(losses)")
      #expect(text.contains("call_1__") && text.contains("call_1___2"))
      #expect(!text.contains("Be brief.") && !text.contains("Hm."))
    }
  }

  @Test(arguments: agents)
  func `has words in the place of images that the service would refuse`(agent: String)
    async throws
  {
    try await withStore { store, _ in
      let session = try await store.createSession()
      try await session.append(
        .prompt("Look."),
        attaching: [
          .init(.data(Data(Picture.png(9, 9001))), label: "tall"),
          .init(.data(Data(Picture.bmp)), label: "odd"),
          .init(.data(Data(Picture.png(9, 9, bytes: 4_000_000))), label: "large"),
          .init(.data(Data(Picture.png(9, 9))), label: "small"),
        ])
      try await session.append(.response("I see."))
      let (text, losses) = try await handOver(session, to: agent)
      #expect(losses[.attachments] + losses[.loose] == 3, "\(losses)")
      #expect(text.utf8.count < 10_000)
    }
  }

  @Test func `is found by its id, its folder and its title`() async throws {
    try await withStore { store, _ in
      let session = try await talk(in: store)
      var options = ExportOptions()
      options.folder = "/home/alice/fruit"
      let id = session.id.uuidString.lowercased()
      let claude = try await handOver(session, to: "claude-code", options).text
      let lines = claude.split(separator: "\n")
      #expect(lines.allSatisfy { $0.contains(#""sessionId":"\#(id)""#) })
      #expect(lines.dropLast().allSatisfy { $0.contains(#""cwd":"/home/alice/fruit""#) })
      #expect(lines.last?.contains(#""customTitle":"Fruit""#) ?? false)
      #expect(lines[0].contains(#""parentUuid":null"#))
      let codex = try await handOver(session, to: "codex", options).text
      // The person sees events, and the model is given items: both say it.
      #expect(codex.contains(#"{"type":"user_message","message":"What is this?""#))
      #expect(codex.contains(#"{"type":"agent_message","message":"It is a banana.""#))
      let gemini = try await handOver(session, to: "gemini-cli", options).text
      #expect(gemini.hasPrefix(#"{"sessionId":"\#(id)","projectHash":""#))
      // Written again it is the same.
      #expect(try await handOver(session, to: "claude-code", options).text == claude)
    }
  }

  @Test func `is what fits, where a window is named`() async throws {
    try await withStore { store, _ in
      let session = try await store.createSession()
      for number in 0..<20 {
        try await session.append(.prompt("\(number) \(String(repeating: "word ", count: 300))"))
        try await session.append(.response("Answer \(number)."))
      }
      let options = ExportOptions(resumption: .init(budget: .tokens(4000)))
      let (text, losses) = try await handOver(session, to: "claude-code", options)
      #expect(losses[.overBudget] > 0)
      #expect(text.contains("Answer 19.") && !text.contains("Answer 0."))
      #expect(text.contains("[Earlier in this conversation: entries 0–"))
      var late = ExportOptions()
      late.start = 31
      let (part, left) = try await handOver(session, to: "codex", late)
      #expect(left[.overBudget] == 32)
      #expect(part.contains("entries 0–31 of session") && part.contains("Answer 16."))
      #expect(!part.contains("Answer 15."))
    }
  }
}
