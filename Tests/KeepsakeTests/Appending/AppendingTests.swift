import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite struct `Appending` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  @Test(arguments: Entry.Kind.allCases)
  func `an entry of any kind comes back as it was given`(kind: Entry.Kind) async throws {
    try await withSession { _, session in
      for status in Entry.Status.allCases {
        var entry = try EntryJSONTests.full()
        entry.kind = kind
        entry.id = Entry.newID()
        entry.status = status
        entry.key = status.rawValue
        entry.attachments = []
        // With nothing attached there is no place for it.
        entry.segments.removeAll { $0.content == .attachment(0) }
        let stored = try await session.append(entry)
        let read = try await session.entry(at: stored.position ?? -1)
        #expect(stored == read)
        entry.position = stored.position
        entry.turn = stored.turn
        #expect(read == entry)
        #expect(read.json == entry.json)
      }
    }
  }

  @Test func `every visibility comes back`() async throws {
    try await withSession { _, session in
      for visibility in Entry.Visibility.allCases {
        var entry = Entry.event("x")
        entry.visibility = visibility
        try await session.append(entry)
      }
      #expect(try await session.entries.all().map(\.visibility) == Entry.Visibility.allCases)
    }
  }

  @Test func `nothing, and hardly anything, can be appended`() async throws {
    try await withSession { _, session in
      #expect(try await session.append([Entry]()).isEmpty)
      #expect(try await session.count() == 0)
      try await session.append(.prompt(""))
      try await session.append(Entry(.response))
      try await session.append(.prompt("\u{0}\u{1F}\u{2028}"))
      let read = try await session.entries.all()
      #expect(read.map(\.segments.count) == [1, 0, 1])
      #expect(read.map(\.text) == ["", "", "\u{0}\u{1F}\u{2028}"])
    }
  }

  @Test func `of a batch that fails in its middle nothing is left`() async throws {
    try await withSession { store, session in
      try await session.append(.prompt("before"))
      let before = try await session.summary()
      var good = Entry.NewAttachment(.bytes([1, 2, 3]))
      good.label = "one"
      var bad = Entry.NewAttachment(.bytes([4]))
      let unknown = try #require(Artifact.ID(String(repeating: "ab", count: 32)))
      bad.inputs = [.artifact(unknown)]
      let error = await keepsakeError {
        try await session.append([
          (.prompt("a"), [good]), (.toolCalls([.init(id: "c", tool: "Draw")]), []),
          (.response("b"), [bad]), (.response("c"), []),
        ])
      }
      #expect(error?.code == .notFound)
      #expect(error?.object == unknown.description)
      #expect(try await session.summary() == before)
      #expect(try await session.attachments().isEmpty)
      // Its label is free, its turn was not opened, and its call is not there.
      #expect(try await session.append(.prompt("next"), attaching: [good]).turn == 2)
      #expect(try await session.attachment("one").position == 1)
      let output = Entry.toolOutput(callID: "c", tool: "Draw", segments: [.text("x")])
      try await session.append(output)
      #expect(try session.answered(by: 2) == nil)
    }
  }

  @Test func `what was cancelled before its turn writes nothing`() async throws {
    try await withSession { _, session in
      await #expect(throws: CancellationError.self) {
        try await cancelled { try await session.append(.prompt("never")) }
      }
      let count = try await session.count()
      #expect(count == 0)
    }
  }

  @Test func `what is cancelled after the writer took it is stored and acknowledged`() async throws
  {
    try await withSession { store, session in
      let handle = store.handle
      let hasBegun = Monitor(false)
      let isCancelled = Monitor(false)
      let prepared = PreparedAppend(
        try PreparedEntry(.prompt("kept")),
        attachments: [], texts: .none)
      let task = Task {
        // So much that the writer's thread does it: none of those that tasks share must wait here.
        try await handle.write(bytes: 1 << 30) { change in
          hasBegun.withLock { $0 = true }
          isCancelled.wait { $0 ? () : nil }
          return try session.insert([prepared], in: change)
        }
      }
      while !hasBegun.withLock({ $0 }) { await Task.yield() }
      task.cancel()
      isCancelled.withLock { $0 = true }
      isCancelled.broadcast()
      #expect(try await task.value.map(\.position) == [0])
      #expect(try await session.entries.all().map(\.text) == ["kept"])
    }
  }

  @Test func `concurrent appends are each stored once, densely`() async throws {
    try await withSession { _, session in
      let positions = try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in 0..<200 {
          group.addTask { try await session.append(.event("\(number)")).position }
        }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1 ?? -1) }
      }
      #expect(positions == Set(0..<200))
      #expect(Set(try await session.entries.all().map(\.text)) == Set((0..<200).map(String.init)))
    }
  }

  @Test func `a batch's prompts each begin a turn, and the rest follows`() async throws {
    try await withSession { _, session in
      let turns = try await session.append([
        .instructions("be kind"), .prompt("a"), .response("b"), .prompt("c"), .prompt("d"),
      ]).map(\.turn)
      #expect(turns == [nil, 1, 1, 2, 3])
    }
  }
}
