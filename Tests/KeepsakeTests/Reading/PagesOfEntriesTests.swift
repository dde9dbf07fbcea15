import Foundation
import Testing

@testable import Keepsake

/// How much of a session is in memory while it is read: a page, bounded by number and by bytes.
@Suite struct `A page of entries` {
  private func text(_ count: Int, _ letter: Character = "x") -> String {
    String(repeating: letter, count: count)
  }

  /// The sizes of the pages in which a session is read, after checking that they are all of it, in order.
  private func pages(of session: Session, _ location: SourceLocation = #_sourceLocation)
    async throws -> [Int]
  {
    var sizes: [Int] = []
    var position = 0
    while true {
      let page = try await session.page(from: position)
      if page.isEmpty { break }
      #expect(page.map(\.position) == (position..<(position + page.count)).map(Int?.some))
      sizes.append(page.count)
      position += page.count
    }
    #expect(try await session.count() == position, sourceLocation: location)
    var next = 0
    for try await entry in session.entries {
      #expect(entry.position == next, sourceLocation: location)
      next += 1
    }
    #expect(next == position, sourceLocation: location)
    return sizes
  }

  @Test func `has up to 256 entries where they are small`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append((0..<600).map { .event("\($0)") })
      #expect(try await pages(of: session) == [256, 256, 88])
      #expect(try await pages(of: store.createSession()) == [])
    }
  }

  @Test func `ends when it has about 4 MiB of what they say`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      for _ in 0..<6 { try await session.append(.event(text(1_000_000))) }
      #expect(try await pages(of: session) == [5, 1])
    }
  }

  @Test func `counts texts that are artifacts as what they are`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      for _ in 0..<6 { try await session.append(.event(text(LargeText.limit + 1))) }
      try await session.append(.event(text(6 << 20)))
      try await session.append([.event("small"), .event(text(5 << 20)), .event("last")])
      #expect(try await pages(of: session) == [4, 3, 2, 1])
    }
  }

  @Test func `ends in the middle of what a fork shares, with each entry's own attachments`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let parent = try await store.createSession()
      for index in 0..<6 {
        try await parent.append(.event(text(1_500_000)))
        try await parent.attach(.labelled("p\(index)"), to: index)
      }
      let fork = try await parent.fork(before: 5)
      try await fork.append(.event(text(1_500_000)))
      for index in 0..<6 { try await fork.attach(.labelled("f\(index)"), to: index) }
      #expect(try await pages(of: fork) == [3, 3])
      for index in 0..<5 {
        #expect(try await fork.labels(at: index) == ["p\(index)", "f\(index)"])
      }
      #expect(
        try await fork.page(from: 4).map { $0.attachments.map(\.label) } == [
          ["p4", "f4"], ["f5"],
        ])
    }
  }

  @Test func `counts the revision that a fork shows`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let parent = try await store.createSession()
      for _ in 0..<4 { try await parent.append(.event(text(LargeText.limit + 1))) }
      let fork = try await parent.fork()
      for index in 0..<4 { try await parent.revise(index, to: .event("short")) }
      #expect(try await pages(of: parent) == [4])
      #expect(try await pages(of: fork) == [4])
      try await fork.append(.event("more"))
      #expect(try await pages(of: fork) == [4, 1])
    }
  }

  @Test func `is no limit to what is asked for by number`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      for _ in 0..<6 { try await session.append(.event(text(1_000_000))) }
      #expect(try await session.entries(last: 6).count == 6)
      #expect(try await session.entries(after: -1, count: 6).count == 6)
      #expect(try await session.entries(before: 6, count: 6).count == 6)
      #expect(try await session.entries.all().count == 6)
    }
  }
}
