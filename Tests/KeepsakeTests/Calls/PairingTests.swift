import Foundation
import Testing

@testable import Keepsake

/// Ids of calls repeat: many models count from 1 in every turn.
@Suite struct `Calls whose ids repeat` {
  private static let call = Entry.ToolCall(id: "call_1", tool: "Draw", arguments: #"{"n": 1}"#)
  private var call: Entry.ToolCall { Self.call }

  private func withSession(_ body: (Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  /// A turn that asked for the call, and, if it is to be, was answered.
  private func appendTurn(to session: Session, isAnswered: Bool) async throws {
    try await session.append([.prompt("a cup"), .toolCalls([call])])
    if isAnswered { try await session.append(.toolOutput(for: call, text: "a cup")) }
  }

  @Test(arguments: [true, false])
  func `what a call makes before it is stored waits for it, whatever an earlier turn has`(
    isAnswered: Bool
  ) async throws {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: isAnswered)
      try await session.append(.prompt("another cup"))
      let image = try await session.attach(.init(.bytes([1]), madeBy: .toolCall(call)))
      #expect(image.call == nil)
      let calls = try await session.append(.toolCalls([call]))
      let output = try await session.append(.toolOutput(for: call, text: "another"))
      #expect(output.attachments.map(\.recording) == [image.recording])
      let position = try #require(calls.position)
      #expect(output.attachments.map(\.call) == [.init(position: position, ordinal: 0)])
      #expect(try await session.entry(at: 1).attachments.isEmpty)
      #expect(try session.answered(by: position + 1)?.position == position)
    }
  }

  @Test(arguments: [true, false])
  func `a run that begins before its call is stored waits for it, whatever an earlier turn has`(
    isAnswered: Bool
  ) async throws {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: isAnswered)
      try await session.append(.prompt("another cup"))
      let run = try await session.begin(.tool, "Draw", callID: "call_1")
      #expect(run.call == nil)
      #expect(run.basis == nil)
      let image = try await session.attach(.init(.bytes([1]), madeBy: .invocation(run)))
      #expect(image.basis == .enclosing)
      let calls = try await session.append(.toolCalls([call]))
      let bound = try #require(try await session.invocations().first)
      #expect(bound.call?.position == calls.position)
      #expect(bound.basis == .explicit)
      #expect(try await session.attachments().map(\.call?.position) == [calls.position])
    }
  }

  @Test func `what a failed turn made does not become what a later turn's call made`() async throws
  {
    try await withSession { session in
      let turn = try await session.openTurn()
      try await session.append(.prompt("a cup"))
      try await session.attach(.init(.bytes([1]), madeBy: .toolCall(call)))
      _ = try await session.begin(.tool, "Draw", callID: "call_1")
      try await session.close(turn, .failed)
      try await session.append([.prompt("another cup"), .toolCalls([call])])
      let output = try await session.append(.toolOutput(for: call, text: "another"))
      #expect(output.attachments.isEmpty)
      #expect(try await session.attachments().map(\.call) == [nil])
      #expect(try await session.invocations().map(\.call) == [nil])
    }
  }

  @Test func `an output answers the nearest call of its turn that waits, else the nearest`()
    async throws
  {
    try await withSession { session in
      try await session.append([.prompt("cups"), .toolCalls([call]), .toolCalls([call])])
      try await session.append([
        .toolOutput(for: call, text: "a"), .toolOutput(for: call, text: "b"),
        .toolOutput(for: call, text: "c"),
      ])
      #expect(try (3...5).map { try session.answered(by: $0)?.position } == [2, 1, 2])
    }
  }

  @Test func `two calls of one entry with the same id are answered in their order`() async throws {
    try await withSession { session in
      try await session.append([.prompt("cups"), .toolCalls([call, call])])
      for _ in 0..<3 { try await session.append(.toolOutput(for: call, text: "a")) }
      #expect(try (2...4).map { try session.answered(by: $0)?.ordinal } == [0, 1, 0])
    }
  }

  @Test func `an output in a later turn answers a call that waits, and gets what was made since`()
    async throws
  {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: false)
      let early = try await session.attach(.init(.bytes([1]), madeBy: .toolCall(call)))
      try await session.append(.prompt("is it ready?"))
      let late = try await session.attach(.init(.bytes([2]), madeBy: .toolCall(call)))
      let run = try await session.begin(.tool, "Draw", callID: "call_1")
      try await session.append(.prompt("and now?"))
      #expect(late.call == nil)
      let output = try await session.append(.toolOutput(for: call, text: "yes"))
      let reference = Entry.Attachment.CallReference(position: 1, ordinal: 0)
      #expect(try session.answered(by: 4) == reference)
      #expect(output.attachments.map(\.recording) == [early.recording, late.recording])
      #expect(output.attachments.map(\.call) == [reference, reference])
      let bound = try #require(try await session.invocations().first { $0.id == run.id })
      #expect(bound.call == reference)
      #expect(bound.basis == .explicit)
    }
  }

  @Test func `an output whose id only an answered call of an earlier turn has answers none`()
    async throws
  {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: true)
      try await session.append([.prompt("again"), .toolOutput(for: call, text: "stray")])
      #expect(try session.answered(by: 2)?.position == 1)
      #expect(try session.answered(by: 4) == nil)
    }
  }

  @Test func `a second output of the same turn answers the call again`() async throws {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: true)
      try await session.append(.toolOutput(for: call, text: "more"))
      #expect(try session.answered(by: 3)?.position == 1)
    }
  }

  @Test func `what is attached to an entry of an earlier turn belongs to that turn's call`()
    async throws
  {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: true)
      try await appendTurn(to: session, isAnswered: true)
      let late = try await session.attach(.init(.bytes([1]), madeBy: .toolCall(call)), to: 2)
      #expect(late.call?.position == 1)
    }
  }

  @Test func `what a call made hangs on its last output, though it comes after it`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await appendTurn(to: session, isAnswered: true)
      let output = try await session.append(.toolOutput(for: call, text: "see image_1, again"))
      let run = try await session.begin(.tool, "Draw", callID: "call_1")
      let images = try await session.attach([
        .init(.bytes([1]), label: "image_1", caption: "a blue cup", madeBy: .toolCall(call)),
        .init(.bytes([2]), madeBy: .invocation(run)), .init(.bytes([3]), madeBy: .user),
      ])
      #expect(images.map(\.position) == [output.position, output.position, nil])
      #expect(images[0].place == .range(4..<11))
      let position = try #require(output.position)
      #expect(
        try await session.entry(at: position).attachments.map(\.recording)
          == images.prefix(2).map(\.recording))
      #expect(try await session.entry(at: position - 1).attachments.isEmpty)
      #expect(try await store.search("blue", limit: 9).hits.map(\.position) == [position])
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `what a fork's call made hangs on the output that the fork shows`() async throws {
    try await withSession { session in
      try await appendTurn(to: session, isAnswered: false)
      let fork = try await session.fork()
      try await session.append(.toolOutput(for: call, text: "of the parent"))
      let waiting = try await fork.attach(.init(.bytes([1]), madeBy: .toolCall(call)))
      #expect(waiting.position == nil)
      let output = try await fork.append(.toolOutput(for: call, text: "of the fork"))
      let image = try await fork.attach(.init(.bytes([2]), madeBy: .toolCall(call)))
      #expect(image.position == output.position)
      let position = try #require(output.position)
      #expect(try await fork.entry(at: position).attachments.count == 2)
      #expect(try await session.entry(at: position).attachments.isEmpty)
    }
  }

  @Test func `a call that was answered before a fork does not wait in the fork`() async throws {
    try await withSession { session in
      try await session.append([.prompt("cups"), .toolCalls([call]), .toolCalls([call])])
      try await session.append(.toolOutput(for: call, text: "a"))
      let fork = try await session.fork()
      try await fork.append(.toolOutput(for: call, text: "b"))
      #expect(try fork.answered(by: 3)?.position == 2)
      #expect(try fork.answered(by: 4)?.position == 1)
      // What another fork answered is not seen here.
      let other = try await session.fork()
      try await other.append(.toolOutput(for: call, text: "c"))
      #expect(try other.answered(by: 4)?.position == 1)
    }
  }

  @Test func `ids that only look alike are different calls`() async throws {
    try await withSession { session in
      let composed = Entry.ToolCall(id: "caf\u{E9}", tool: "Draw")
      try await session.append(.prompt("x"))
      let run = try await session.begin(.tool, "Draw", callID: "cafe\u{301}")
      try await session.append(.toolCalls([composed]))
      #expect(try await session.invocations().map(\.call) == [nil])
      #expect(run.callID?.utf8.count == 6)
    }
  }

  @Test func `a run that ended belongs to the call whose output says what it returned`()
    async throws
  {
    try await withSession { session in
      try await session.append(.prompt("two cups"))
      var images: [Int64] = []
      for number in 0..<2 {
        let run = try await session.begin(.tool, "Draw", .init(arguments: #"{"n":1}"#))
        let image = try await session.attach(
          .init(.bytes([UInt8(number)]), madeBy: .invocation(run)))
        images.append(image.recording)
        try await session.end(run, .finished, output: "made \(image.label)")
      }
      // The other way round, and without the id of a run.
      let calls = ["x", "y"].map { Entry.ToolCall(id: $0, tool: "Draw", arguments: #"{"n": 1}"#) }
      try await session.append(.toolCalls(calls))
      let second = try await session.append(.toolOutput(for: calls[0], text: "made file_2"))
      #expect(second.attachments.map(\.recording) == [images[1]])
      let first = try await session.append(.toolOutput(for: calls[1], text: "made file_1"))
      #expect(first.attachments.map(\.recording) == [images[0]])
      #expect(try await session.invocations().map(\.basis) == [.explicit, .explicit])
      let stored = try await session.entries.all().map { $0.attachments.map(\.recording) }
      #expect(stored == [[], [], [images[1]], [images[0]]])
    }
  }
}
