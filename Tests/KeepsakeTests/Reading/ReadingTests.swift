import Foundation
import Testing

@testable import Keepsake

/// Each way to ask for entries, at and beyond its limits.
@Suite struct `Reading entries` {
  private func withSession(_ count: Int, _ body: (Store, Session) async throws -> Void)
    async throws
  {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append((0..<count).map { .event("\($0)") })
      try await body(store, session)
    }
  }

  private func numbers(_ entries: [Entry]) -> [Int] { entries.compactMap { Int($0.text) } }

  static let counts = [Int.min, -1, 0, 1, 2, 4, 5, 6, 1000, .max]
  static let positions = [Int.min, -2, -1, 0, 1, 3, 4, 5, 6, 1 << 24, .max - 1, .max]

  @Test(arguments: counts) func `gives the last ones, as many as there are`(count: Int) async throws
  {
    try await withSession(5) { _, session in
      let read = numbers(try await session.entries(last: count))
      #expect(read == Array((0..<5).suffix(max(0, count))))
    }
  }

  @Test(arguments: positions)
  func `gives those before and after a position, wherever it is`(position: Int) async throws {
    try await withSession(5) { _, session in
      for count in Self.counts {
        let before = numbers(try await session.entries(before: position, count: count))
        #expect(before == Array((0..<5).filter { $0 < position }.suffix(max(0, count))))
        let after = numbers(try await session.entries(after: position, count: count))
        #expect(after == Array((0..<5).filter { $0 > position }.prefix(max(0, count))))
      }
    }
  }

  @Test(arguments: positions)
  func `gives those from a position on, one by one and all at once`(position: Int) async throws {
    try await withSession(5) { _, session in
      let expected = (0..<5).filter { $0 >= position }
      #expect(numbers(try await session.entries(from: position).all()) == expected)
      var read: [Entry] = []
      for try await entry in session.entries(from: position) { read.append(entry) }
      #expect(numbers(read) == expected)
    }
  }

  @Test(arguments: positions) func `gives the entry at a position, or says how many there are`(
    position: Int
  ) async throws {
    try await withSession(5) { _, session in
      if (0..<5).contains(position) {
        let entry = try await session.entry(at: position)
        #expect(entry.text == "\(position)")
      } else {
        let error = await keepsakeError { try await session.entry(at: position) }
        #expect(error?.code == .outOfRange)
        #expect(error?.message.contains(session.id.uuidString.lowercased()) == true)
      }
    }
  }

  @Test func `gives nothing of an empty session`() async throws {
    try await withSession(0) { _, session in
      #expect(try await session.count() == 0)
      #expect(try await session.entries(last: 3).isEmpty)
      #expect(try await session.entries(before: 3, count: 3).isEmpty)
      #expect(try await session.entries(after: -1, count: 3).isEmpty)
      #expect(try await session.entries(ofTurn: 1).isEmpty)
      #expect(try await session.entries.all().isEmpty)
      for try await entry in session.entries { Issue.record("There is \(entry)") }
      #expect(try await session.attachments().isEmpty)
      let error = await keepsakeError { try await session.entry(at: 0) }
      #expect(error?.code == .outOfRange)
    }
  }

  @Test func `gives one turn: its prompt and all that follows it`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.instructions("i"), .event("before")])
      for turn in 1...3 {
        try await session.append([
          .prompt("p\(turn)"), .reasoning("t\(turn)"), .response("r\(turn)"),
        ])
      }
      for turn in 1...3 {
        let read = try await session.entries(ofTurn: turn)
        #expect(read.map(\.text) == ["p\(turn)", "t\(turn)", "r\(turn)"])
        #expect(read.allSatisfy { $0.turn == turn })
      }
      #expect(try await session.entries(ofTurn: 0).map(\.text) == ["i", "before"])
      for turn in [Int.min, -1, 4, .max] {
        #expect(try await session.entries(ofTurn: turn).isEmpty, "\(turn)")
      }
      let fork = try await session.fork(before: 6)
      try await fork.append([.response("another"), .prompt("p3 again")])
      #expect(try await fork.entries(ofTurn: 2).map(\.text) == ["p2", "another"])
      #expect(try await fork.entries(ofTurn: 3).map(\.text) == ["p3 again"])
    }
  }

  @Test func `goes on to what is appended while it reads, and ends once`() async throws {
    try await withSession(3) { _, session in
      var iterator = session.entries.makeAsyncIterator()
      var read: [Int] = []
      while let entry = try await iterator.next() {
        read.append(Int(entry.text) ?? -1)
        if read.count == 3 { try await session.append([.event("3"), .event("4")]) }
      }
      #expect(read == Array(0..<5))
      try await session.append(.event("5"))
      #expect(try await iterator.next() == nil, "a sequence that has ended stays so")
      #expect(try await session.entries.all().count == 6)
    }
  }

  @Test func `misses and repeats nothing beside writers`() async throws {
    try await withSession(0) { _, session in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for index in 0..<150 { try await session.append(.event("\(writer) \(index)")) }
          }
        }
        group.addTask {
          for _ in 0..<10 {
            var next = 0
            for try await entry in session.entries {
              #expect(entry.position == next)
              next += 1
            }
            let all = try await session.entries.all()
            #expect(all.map(\.position) == (0..<all.count).map(Int?.some))
            #expect(all.count >= next)
          }
        }
        try await group.waitForAll()
      }
      let texts = try await session.texts()
      #expect(Set(texts).count == 600)
      for writer in 0..<4 {
        let own = texts.filter { $0.hasPrefix("\(writer) ") }
        #expect(own == (0..<150).map { "\(writer) \($0)" })
      }
    }
  }

  @Test func `keeps the place of what was erased, and says that it was`() async throws {
    try await withSession(5) { _, session in
      try await session.attach(.labelled("gone"), to: 2)
      try await session.erase(2)
      let all = try await session.entries.all()
      #expect(all.map(\.isErased) == [false, false, true, false, false])
      #expect(all.map(\.position) == [0, 1, 2, 3, 4])
      #expect(all[2].text == "")
      #expect(all[2].kind == .event)
      #expect(all[2].attachments.map(\.state) == [.erased])
      #expect(try await session.entry(at: 2) == all[2])
      #expect(try await session.entries(last: 3) == Array(all[2...]))
      #expect(try await session.page(from: 2) == Array(all[2...]))
      let attachment = try await session.attachment("gone")
      let error = await keepsakeError { try await attachment.data() }
      #expect(error?.code == .artifactMissing)
    }
  }

  @Test func `says that a session was deleted, to each way to ask`() async throws {
    try await withSession(5) { store, session in
      var iterator = session.entries.makeAsyncIterator()
      _ = try await iterator.next()
      try await store.deleteSession(session.id)
      for ask in [
        { _ = try await session.count() },
        { _ = try await session.entries.all() },
        { _ = try await session.entries(last: 1) },
        { _ = try await session.entries(ofTurn: 1) },
        { _ = try await session.entry(at: 0) },
        { _ = try await session.attachments() },
        { _ = try await session.attachment("a") },
        { _ = try await session.summary() },
        { for try await _ in session.entries {} },
      ] as [() async throws -> Void] {
        let error = await keepsakeError(ask)
        #expect(error?.code == .notFound)
      }
    }
  }
}
