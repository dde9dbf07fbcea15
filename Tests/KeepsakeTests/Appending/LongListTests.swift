import Testing

@testable import Keepsake

/// Lists of entries that are made ready while the writer already writes.
@Suite struct `Appending a long list` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  private func conversation(_ count: Int) -> [Entry] {
    (0..<count).map { index in
      switch index % 4 {
      case 0: .prompt("Question \(index)")
      case 1: .toolCalls([.init(id: "c\(index)", tool: "Draw")])
      case 2: .toolOutput(callID: "c\(index - 1)", tool: "Draw", segments: [.text("\(index)")])
      default: .response("Answer \(index)")
      }
    }
  }

  @Test(arguments: [
    AppendLine.worthwhile - 1, AppendLine.worthwhile, AppendLine.worthwhile + 1, 1000,
  ])
  func `it is stored as its entries one by one are`(count: Int) async throws {
    try await withSession { store, session in
      let entries = conversation(count)
      let stored = try await session.append(entries)
      #expect(stored.map(\.position) == Array(0..<count))
      #expect(try await session.entries.all() == stored)
      let other = try await store.createSession()
      for entry in entries {
        var entry = entry
        entry.id = Entry.newID()
        try await other.append(entry)
      }
      let single = try await other.entries.all()
      #expect(single.map(\.turn) == stored.map(\.turn))
      #expect(single.map(\.segments) == entries.map(\.segments))
      #expect(stored.map(\.segments) == entries.map(\.segments))
      #expect(try session.answered(by: 2) == other.answered(by: 2))
    }
  }

  @Test(arguments: [0, 499])
  func `where one of it can't be made ready, nothing of it is left`(position: Int) async throws {
    try await withSession { _, session in
      try await session.append(.prompt("before"))
      let before = try await session.summary()
      var entries = conversation(500)
      let large = String(repeating: "x", count: PreparedEntry.maximumBody)
      entries[position].segments = [.structure(.string(large))]
      let error = await keepsakeError { try await session.append(entries) }
      #expect(error?.code == .tooLarge)
      #expect(try await session.summary() == before)
      entries[position].segments = []
      #expect(try await session.append(entries).first?.position == 1)
    }
  }

  @Test
  func `where one of it conflicts, nothing of it is left, and what is known is not added again`()
    async throws
  {
    try await withSession { _, session in
      var entries = conversation(400)
      for index in entries.indices { entries[index].key = "k\(index)" }
      try await session.append(Array(entries[300..<310]))
      var conflicting = entries
      conflicting[305] = .response("something else")
      conflicting[305].key = "k305"
      let error = await keepsakeError { try await session.append(conflicting) }
      #expect(error?.code == .conflict)
      #expect(try await session.count() == 10)
      let stored = try await session.append(entries)
      #expect(stored.count == 400)
      #expect(stored[300..<310].map(\.position) == Array(0..<10))
      #expect(try await session.count() == 400)
    }
  }

  @Test func `many at once are each stored whole, without a gap`() async throws {
    try await withSession { _, session in
      try await withThrowingTaskGroup(of: [Int?].self) { group in
        for number in 0..<16 {
          group.addTask {
            let entries = (0..<300).map { Entry.event("\(number).\($0)") }
            return try await session.append(entries).map(\.position)
          }
        }
        for try await positions in group {
          let first = try #require(positions.first ?? nil)
          #expect(positions == Array(first..<(first + 300)))
        }
      }
      #expect(try await session.count() == 4800)
    }
  }

  @Test func `one that was cancelled before its turn, or comes after the end, writes nothing`()
    async throws
  {
    try await withSession { store, session in
      let entries = conversation(500)
      await #expect(throws: CancellationError.self) {
        try await cancelled { try await session.append(entries) }
      }
      #expect(try await session.count() == 0)
      let other = try await Store(at: store.url)
      let late = try await other.session(session.id)
      await other.close()
      let error = await keepsakeError { try await late.append(entries) }
      #expect(error?.code == .closed)
      #expect(try await session.count() == 0)
    }
  }
}
