import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("What was taken back")
struct TakenBackTests {
  /// A session of Claude Code with a call and an answer that were taken back.
  private static var talk: Talk {
    var talk = Talk()
    talk.user("\"one?\"")
    let first = talk.model(Talk.text("one!"), id: "m-1")
    talk.user("\"dead?\"")
    talk.model(Talk.call("c-1"), id: "m-2")
    talk.user("[\(Talk.result("c-1"))]")
    talk.model(Talk.text("dead!"), id: "m-3")
    talk.user("\"three?\"", after: first)
    talk.model(Talk.text("three!"), id: "m-4")
    return talk
  }

  @Test(arguments: ["codex", "gemini-cli"])
  func `is not handed over, and is told of by its number`(agent: String) async throws {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let (bytes, losses) = try await rewound.session.exported(as: agent)
      #expect(losses.counts == [.takenBack: 4, .events: 1])
      #expect(losses.description == "1 event, 4 entries that were taken back")
      let other = rewound.folder.appending(path: "other.jsonl")
      try Data(bytes).write(to: other)
      let report = try await rewound.store.importFile(at: other, format: agent)
      let session = try await rewound.store.session(#require(report.sessions.first?.id))
      #expect(
        try await session.entries.all().map(\.text) == ["one?", "one!", "three?", "three!"])
      #expect(!String(decoding: bytes, as: UTF8.self).contains("dead"))
      #expect(Format.all.first { $0.name == agent }?.leavesOut.contains(.takenBack) == true)
    }
  }

  @Test func `is not handed over to the same agent once something was added`() async throws {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let changed = try await rewound.session.fork(before: 8)
      try await changed.append(.response("another three!"))
      let (bytes, losses) = try await changed.exported(as: "claude-code")
      #expect(losses[.takenBack] == 4)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("dead") && text.contains("another three!"))
    }
  }

  @Test(arguments: ["openai-chat", "openai-responses", "anthropic", "gemini", "apple"])
  func `is in no list of messages for a model`(format: String) async throws {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let (bytes, losses) = try await rewound.session.exported(as: format)
      #expect(losses[.takenBack] == 4 && losses[.events] == 1)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("three!") && !text.contains("dead"))
      // Nor in one that was imported, and in which an app went back.
      let file = rewound.folder.appending(path: "messages.json")
      try Data(bytes).write(to: file)
      let report = try await rewound.store.importFile(at: file, format: format)
      let session = try await rewound.store.session(#require(report.sessions.first?.id))
      let count = try await session.count()
      try await session.append([.goingBack(to: count - 3), .prompt("four?"), .response("four!")])
      let again = try await session.exported(as: format)
      #expect(again.losses[.takenBack] == 2)
      let added = String(decoding: again.bytes, as: UTF8.self)
      #expect(added.contains("one!") && added.contains("four!") && !added.contains("three"))
      _ = try JSON(validating: again.bytes)
    }
  }

  @Test(arguments: ["atif", "otel", "prov"])
  func `is in what tells others what ran`(format: String) async throws {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let (bytes, losses) = try await rewound.session.exported(as: format)
      #expect(losses[.takenBack] == 0)
      #expect(String(decoding: bytes, as: UTF8.self).contains("c-1"))
    }
  }

  @Test func `does not count against a budget`() async throws {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      var options = ExportOptions()
      options.resumption = .init(budget: .tokens(1000, reserving: 0))
      let losses = try await rewound.session.exported(as: "codex", options: options).losses
      #expect(losses.counts == [.takenBack: 4, .events: 1])
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `is kept by what carries a session whole, and still is taken back`(format: String)
    async throws
  {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let file = rewound.folder.appending(path: "whole")
      let bytes = try await rewound.session.exported(as: format).bytes
      try Data(bytes).write(to: file)
      let before = try await rewound.session.entries.all()
      try await withStore { other, _ in
        let report = try await other.importFile(at: file)
        let session = try await other.session(#require(report.sessions.first?.id))
        let after = try await session.entries.all()
        #expect(after.map(\.continuesAfter) == before.map(\.continuesAfter))
        #expect(after.compactMap(\.continuesAfter) == [1])
        let live = try await session.resume().entries.map(\.text)
        #expect(live == ["one?", "one!", "three?", "three!"])
        #expect(try await other.verify().findings == [])
      }
    }
  }

  @Test func `is in a document for people, which says where the conversation goes on`()
    async throws
  {
    try await Rewound.with(Self.talk.text, as: "claude-code") { rewound async throws in
      let bytes = try await rewound.session.exported(as: "markdown").bytes
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("dead?") && text.contains("dead!"))
      #expect(text.contains("goes on after entry 1"))
    }
  }
}
