import Foundation
import KeepsakeFiles
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite(
  "Searching a store", .disabled(if: SharedStores.areUsed, "Stores that share are not searched."))
struct StoreSearchTests {
  @Test(arguments: [
    ("банан", []), ("банан*", ["Жёлтые Бананы"]), ("ete", ["C'était un été"]),
    ("藍色", ["我看見藍色的海"]), ("夢", ["我昨天的夢很長"]), ("blue cup", ["a cup, and blue", "the blue cup"]),
    ("\"blue cup\"", ["the blue cup"]), ("cup -blue", ["a red cup"]),
    ("cu* -red", ["a cup, and blue", "the blue cup"]),
    ("nothing", []),
  ])
  func `words, phrases, prefixes and exclusions are found in any script`(
    query: String, texts: [String]
  ) async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append(
        [
          "Жёлтые Бананы", "C'était un été", "我看見藍色的海", "我昨天的夢很長", "a cup, and blue",
          "the blue cup",
          "a red cup",
        ].map { .prompt($0) })
      try await store.expect(query, finds: texts)
    }
  }

  @Test func `an entry is found once, whether it waits or is indexed`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession(title: "Fruit")
      try await session.append([.instructions("Draw fruit."), .prompt("one banana")])
      #expect(try await store.search("banana").unindexed == 2)
      #expect(try await store.found("banana") == ["one banana"])
      try await store.indexForSearch()
      #expect(try await store.search("banana").unindexed == 0)
      #expect(try await store.found("banana") == ["one banana"])
      try await session.append(.response("two bananas, a banana each"))
      let page = try await store.search("banana")
      #expect(page.hits.map(\.position) == [2, 1])
      #expect(page.unindexed == 1)
      #expect(page.next == nil)
      let hit = try #require(page.hits.first)
      #expect(hit.session == session.id)
      #expect(hit.title == "Fruit")
      #expect(hit.kind == .response)
      #expect(hit.score == nil)
      #expect(hit.snippet.ranges == [15..<21])
    }
  }

  @Test func `what the model was told to be is found like all that is said`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.instructions("You paint bananas."), .prompt("a banana")])
      for _ in 0..<2 {
        let page = try await store.search("banana*")
        #expect(page.hits.map(\.kind) == [.prompt, .instructions])
        let instructions = try await store.search(
          "banana*", in: SearchScope(kinds: [.instructions]))
        #expect(instructions.hits.map(\.position) == [0])
        try await store.indexForSearch()
      }
    }
  }

  @Test func `the writer indexes by itself when nobody wants anything`() async throws {
    var options = Store.Options()
    options.searchDelay = .zero
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession()
      try await session.append(.prompt("banana"))
      while try await store.search("banana").unindexed > 0 { await Task.yield() }
      #expect(try await store.found("banana") == ["banana"])
    }
  }

  @Test(arguments: [false, true])
  func `who waits for the index is told how far it is`(bySearching: Bool) async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      // Enough for a search to index it first, in several batches.
      try await session.append((0..<3000).map { .prompt("banana \($0)") })
      let told = Locked<[Double]>([])
      let note: @Sendable (Double) -> Void = { fraction in told.withLock { $0.append(fraction) } }
      if bySearching {
        _ = try await store.search("banana", indexing: note)
      } else {
        try await store.indexForSearch(progress: note)
      }
      let fractions = told.withLock { $0 }
      #expect(fractions.first == 0)
      #expect(fractions.last == 1)
      #expect(fractions == fractions.sorted())
      #expect(try await store.health().waitingForSearch == 0)
      told.withLock { $0 = [] }
      _ = try await store.search("banana", indexing: note)
      #expect(told.withLock { $0 } == [])
    }
  }

  @Test func `indexing that is cancelled keeps what it did, and goes on later`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append((0..<3000).map { .prompt("banana \($0)") })
      let (begun, hasBegun) = AsyncStream.makeStream(of: Double.self)
      let work = Task {
        try await store.indexForSearch { fraction in
          if fraction == 0 { hasBegun.yield(fraction) }
          // What is told is told on the way: until the test has cancelled, nothing goes on.
          while fraction == 0, !Task.isCancelled {}
        }
      }
      for await _ in begun { break }
      work.cancel()
      await #expect(throws: CancellationError.self) { try await work.value }
      #expect(try await store.search("banana").hits.count == 20)
      try await store.indexForSearch()
      #expect(try await store.health().waitingForSearch == 0)
    }
  }

  @Test func `what cannot be searched for is refused in words`() async throws {
    try await withSearchedStore { store in
      let error = try await #require(throws: KeepsakeError.self) { try await store.search("-red") }
      #expect(error.code == .invalid)
      #expect(error.message.contains("Add a word to look for"))
      let limit = try await #require(throws: KeepsakeError.self) {
        try await store.search("red", limit: 0)
      }
      #expect(limit.code == .invalid)
      let scope = SearchScope(session: UUID())
      let session = try await #require(throws: KeepsakeError.self) {
        try await store.search("red", in: scope)
      }
      #expect(session.code == .notFound)
    }
  }

  @Test func `each condition of a scope leaves out what does not fit`() async throws {
    try await withSearchedStore { store in
      let noon = Date(timeIntervalSince1970: 1_000_000)
      let one = try await store.createSession(tags: ["work"])
      let two = try await store.createSession()
      var early = Entry.prompt("early word")
      early.created = noon.addingTimeInterval(-1)
      var late = Entry.prompt("late word")
      late.created = noon
      var tagged = Entry.event("tagged word")
      tagged.tags = ["work"]
      tagged.created = noon.addingTimeInterval(10)
      var answer = Entry.response("modelled word")
      answer.model = "big"
      answer.created = noon.addingTimeInterval(20)
      let call = Entry.ToolCall(id: "c1", tool: "Say", arguments: #"{"text": "called word"}"#)
      let other = Entry.ToolCall(id: "c2", tool: "Sing", arguments: #"{"text": "sung word"}"#)
      var calls = Entry.toolCalls([call, other])
      calls.created = noon.addingTimeInterval(30)
      var output = Entry.toolOutput(for: call, text: "put out word")
      output.created = noon.addingTimeInterval(40)
      var lost = Entry.toolOutput(callID: nil, tool: "Say", segments: [.text("lost word")])
      lost.created = noon.addingTimeInterval(50)
      try await one.append([early, late])
      try await two.append([tagged, answer, calls, output, lost])

      try await store.expect(
        "word", in: .init(kinds: [.event, .response]), finds: ["tagged word", "modelled word"])
      try await store.expect(
        "word", in: .init(session: one.id), finds: ["early word", "late word"])
      try await store.expect(
        "word", in: .init(tool: "Say"),
        finds: ["called word sung word", "put out word", "lost word"])
      try await store.expect("word", in: .init(tool: "Sing"), finds: ["called word sung word"])
      try await store.expect("word", in: .init(model: "big"), finds: ["modelled word"])
      try await store.expect(
        "word", in: .init(tag: "work"), finds: ["early word", "late word", "tagged word"])
      try await store.expect(
        "word", in: .init(since: noon, until: noon.addingTimeInterval(1)), finds: ["late word"])
      try await store.expect(
        "word", in: .init(kinds: [.prompt], until: noon), finds: ["early word"])
      try await store.expect(
        "word", in: .init(session: two.id, tool: "Sing"), finds: ["called word sung word"])
      let hits = try await store.search("sung", in: .init(tool: "Sing")).hits
      #expect(hits.map(\.callID) == ["c2"])
      #expect(try await store.search("\"put out\"").hits.map(\.callID) == ["c1"])
    }
  }

  @Test func `ranking puts the best match first, and newest the last`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      let filler = (0..<200).map { "filler\($0)" }.joined(separator: " ")
      try await session.append((0..<50).map { .prompt("nothing of note \($0)") })
      try await session.append([
        .prompt("banana banana banana"), .prompt("a banana \(filler)"), .prompt("one banana here"),
      ])
      func order() async throws -> [Int] {
        try await store.search("banana", order: .ranked).hits.map(\.position)
      }
      let newest = try await store.search("banana").hits.map(\.position)
      #expect(newest == [52, 51, 50])
      // Waiting and indexed entries are scored alike.
      #expect(try await order() == [50, 52, 51])
      try await store.indexForSearch()
      #expect(try await order() == [50, 52, 51])
      let scores = try await store.search("banana", order: .ranked).hits.compactMap(\.score)
      #expect(scores.count == 3 && scores == scores.sorted(by: >) && scores.allSatisfy { $0 > 0 })
      try await session.append(.response("banana banana banana"))
      let mixed = try await store.search("banana", order: .ranked).hits
      #expect(mixed.map(\.position) == [53, 50, 52, 51])
      let (waiting, indexed) = (try #require(mixed[0].score), try #require(mixed[1].score))
      #expect(abs(waiting - indexed) < 0.01 * indexed)
    }
  }

  @Test(arguments: [SearchOrder.newest, .ranked], [1, 2, 3, 7])
  func `pages have no gaps and no repeats while entries are appended and indexed`(
    order: SearchOrder, limit: Int
  ) async throws {
    try await withSearchedStore { store in
      let one = try await store.createSession()
      let two = try await store.createSession()
      func append(_ range: Range<Int>, to session: Session) async throws {
        for number in range { try await session.append(.prompt("word \(number)")) }
      }
      try await append(0..<6, to: one)
      try await append(6..<9, to: two)
      try await store.indexForSearch()
      try await append(9..<14, to: two)
      try await append(14..<20, to: one)
      var seen: [String] = []
      var cursor: SearchCursor?
      var round = 0
      repeat {
        let page = try await store.search("word", order: order, limit: limit, after: cursor)
        #expect(page.hits.count <= limit)
        #expect(!page.hits.isEmpty)
        seen += page.hits.map(\.snippet.text)
        // As a command hands it on.
        cursor = try page.next.map { try #require(SearchCursor($0.description)) }
        #expect(cursor == page.next)
        round += 1
        try await append(100 * round..<100 * round + 2, to: round.isMultiple(of: 2) ? one : two)
        if round.isMultiple(of: 2) || round == 1 { try await store.indexForSearch() }
      } while cursor != nil
      #expect(seen.count == 20)
      #expect(Set(seen) == Set((0..<20).map { "word \($0)" }))
      if order == .newest { #expect(seen == (0..<20).reversed().map { "word \($0)" }) }
    }
  }

  @Test(arguments: [SearchOrder.newest, .ranked], [1, 7, 100])
  func `a cursor is short, and pages show each hit once, best first`(
    order: SearchOrder, limit: Int
  ) async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      let texts = (0..<150).map { number in
        "quince \(String(repeating: "quince ", count: number % 5)) and \(String(repeating: "more ", count: number % 11))\(number)"
      }
      try await session.append(texts[..<100].map { .prompt($0) })
      try await store.indexForSearch()
      try await session.append(texts[100...].map { .response($0) })
      var seen: [SearchHit] = []
      var cursor: SearchCursor?
      repeat {
        let page = try await store.search("quince", order: order, limit: limit, after: cursor)
        seen += page.hits
        if let next = page.next {
          #expect(next.description.count <= 200)
          #expect(SearchCursor(next.description) == next)
        }
        cursor = page.next
      } while cursor != nil && seen.count < 1000
      #expect(seen.count == 150)
      #expect(Set(seen.map(\.position)).count == 150)
      guard order == .ranked else { return }
      let scores = seen.compactMap(\.score)
      #expect(scores == scores.sorted(by: >))
      let whole = try await store.search("quince", order: order, limit: 1000)
      #expect(whole.hits.map(\.position) == seen.map(\.position))
      #expect(whole.next == nil)
    }
  }

  @Test func `a cursor of the other order is refused`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("word"), .prompt("word")])
      let cursor = try await store.search("word", limit: 1).next
      let error = try await #require(throws: KeepsakeError.self) {
        try await store.search("word", order: .ranked, after: cursor)
      }
      #expect(error.code == .invalid)
      #expect(SearchCursor("x") == nil)
      #expect(SearchCursor("d.1.2") == nil)
      #expect(SearchCursor("") == nil)
    }
  }

  @Test func `a store that is open for reading finds everything, and says what it had to read`()
    async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("word one"), .prompt("word two")])
      try await store.indexForSearch()
      try await session.append(.prompt("word three"))
      let reader = try await Store(at: store.url, options: .readOnly)
      let page = try await reader.search("word")
      #expect(page.hits.map(\.snippet.text) == ["word three", "word two", "word one"])
      #expect(page.unindexed == 1)
      try await session.append((0..<2100).map { .prompt("filler \($0)") })
      let slow = try await reader.search("word", order: .ranked)
      #expect(slow.unindexed == 2101)
      #expect(slow.hits.count == 3)
      let error = try await #require(throws: KeepsakeError.self) {
        try await reader.indexForSearch()
      }
      #expect(error.code == .readOnly)
      await reader.close()
      // The writing one indexes first.
      #expect(try await store.search("word").unindexed == 0)
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `reads what waits where it would have to wait for another process in order to index it`()
    async throws
  {
    var options = Store.Options(patience: .seconds(36_000))
    options.searchDelay = nil
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession()
      try await session.append((0..<2100).map { .prompt("banana \($0)") })
      do {
        let other = try OtherProgram.locking(store.url.appending(path: "store.lock"))
        defer { withExtendedLifetime(other) {} }
        let page = try await store.search("banana")
        #expect(page.hits.count == 20)
        #expect(page.unindexed == 2100)
      }
      // The writer's thread wakes a moment after the other process has gone; until then it counts as in the way.
      while try await store.search("banana").unindexed > 0 { await Task.yield() }
    }
  }
}
