import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("The index for search")
struct SearchIndexTests {
  @Test func `a revised entry is found by its new words alone, and keeps its place`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("apple word"), .response("pear word")])
      // While it waits, and then when it is indexed, also beside others that wait.
      try await session.revise(0, to: .prompt("cherry word"))
      try await store.expect("apple", finds: [])
      try await store.expect("cherry", finds: ["cherry word"])
      try await session.append(.prompt("last word"))
      try await session.revise(0, to: .prompt("damson word"))
      try await store.expect("cherry", finds: [])
      try await session.revise(0, to: .prompt("elder word"))
      try await store.expect("damson", finds: [])
      #expect(try await store.found("word") == ["last word", "pear word", "elder word"])

      func list(_ texts: [String]) -> [Entry] {
        texts.map { text in
          var entry = Entry.response(text)
          entry.key = String(text.prefix(1))
          return entry
        }
      }
      let saved = try await store.createSession()
      try await saved.save(list(["1 grape", "2 hazel"]))
      try await store.indexForSearch()
      let result = try await saved.save(list(["1 grape", "2 iris", "3 juniper"]))
      #expect(result.revised == [1])
      try await store.expect("hazel", finds: [])
      try await store.expect("iris", finds: ["2 iris"])
    }
  }

  @Test func `what somebody waits for is indexed in few transactions, a segment each`() async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      let text = (0..<400).map { "word\($0 * 7919 % 5003)" }.joined(separator: " ")
      for _ in 0..<4 { try await session.append((0..<300).map { .prompt("\($0) \(text)") }) }
      let before = store.handle.database.writer?.statistics.commits ?? 0
      try await store.indexForSearch()
      let commits = (store.handle.database.writer?.statistics.commits ?? 0) - before
      #expect((1...2).contains(commits), "1,200 entries with 4 MB of text")
      let size = try store.handle.read { db in
        try db.integer("SELECT v FROM search_config WHERE k = 'hashsize'")
      }
      #expect(size == 4_194_304)
    }
  }

  @Test func `labels, file names and captions are found, also of what is attached later`()
    async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      let call = Entry.ToolCall(tool: "Draw", arguments: "{}")
      try await session.append(.toolCalls([call]))
      try await store.indexForSearch()
      try await session.attach(Data([1]), madeBy: call, caption: "a ripe banana")
      try await store.expect("banana", finds: [])
      try await session.append(.toolOutput(for: call, text: "drawn"))
      try await store.expect("banana", finds: ["drawn file_1 a ripe banana"])
      try await session.attach(
        .init(.bytes([2]), fileName: "Plum tree.png", label: "portrait", caption: "a plum"), to: 1)
      try await store.expect(
        "plum portrait", finds: ["drawn file_1 a ripe banana portrait Plum tree.png a plum"])
    }
  }

  @Test func `what is said of an attachment later is found, and its entry once`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("draw"), .response("here"), .prompt("thanks")])
      var here = try await session.attach(.awaited(madeBy: .response), to: 1)
      let loose = try await session.attach(.init(.bytes([2]), label: "loose", caption: "cherry"))
      try await store.indexForSearch()
      here = try await session.caption(here, "banana")
      try await store.expect("banana", finds: ["here file_1 banana"])
      here = try await session.caption(here, "plum")
      try await store.expect("banana plum", finds: ["here file_1 banana plum"])
      try await session.settle(here, with: .bytes([1]))
      try await store.expect("here", finds: ["here file_1 banana plum"])
      try await session.bind(loose, to: 0)
      try await store.expect("cherry", finds: ["draw loose cherry"])
      try await store.expect("thanks", finds: ["thanks"])
      try await session.erase(here)
      try await store.expect("plum", finds: [])
      try await store.expect("here", finds: ["here file_1"])
    }
  }

  @Test func `a removed session or entry is in the index no more`() async throws {
    try await withSearchedStore { store in
      let one = try await store.createSession()
      let two = try await store.createSession()
      for session in [one, two] {
        try await session.append((0..<300).map { .prompt("word \($0)") })
      }
      try await store.indexForSearch()
      try await one.append(.prompt("word that waits"))
      try await store.handle.write { change in
        let db = change.db
        try SearchIndex.remove(session: two.number, from: 10, in: db)
        #expect(try SearchIndex.remove(entry: two.lineage.id(of: 3), in: db) != nil)
        #expect(try SearchIndex.remove(entry: two.lineage.id(of: 3), in: db) == nil)
        for statement in ["DELETE FROM entry WHERE id = ", "DELETE FROM entry WHERE id > "] {
          let position = statement.contains(">") ? 9 : 3
          try db.execute("\(statement)\(two.lineage.id(of: position).rawValue)")
        }
        try db.execute("UPDATE session SET entries = 10 WHERE number = \(two.number)")
      }
      try await store.expectExactIndex()
      #expect(
        try await store.search("word", in: .init(session: two.id), limit: 100).hits.map(\.position)
          == [9, 8, 7, 6, 5, 4, 2, 1, 0])
      try await store.handle.write { change in
        try SearchIndex.remove(session: one.number, in: change.db)
        #expect(try change.db.integer("SELECT count(*) FROM search_queue") == 0)
        try change.db.execute("DELETE FROM entry WHERE id >> 24 = \(one.number)")
        try change.db.execute("UPDATE session SET entries = 0 WHERE number = \(one.number)")
      }
      #expect(try await store.found("word", limit: 100).count == 9)
    }
  }

  @Test func `an erased word is gone from the file's pages after scrubbing`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("xylophonist"), .prompt("other")])
      try await store.indexForSearch()
      func pagesWithWord() async throws -> Int64? {
        try store.handle.read {
          try $0.integer(
            "SELECT count(*) FROM search_data WHERE instr(block, CAST('ylophonist' AS BLOB)) > 0")
        }
      }
      #expect(try await pagesWithWord() == 1)
      try await store.handle.write { change in
        try SearchIndex.remove(entry: session.lineage.id(of: 0), in: change.db)
        try SearchIndex.scrub(in: change.db)
        try change.db.execute(
          "UPDATE entry SET body = NULL, salt = NULL WHERE id = \(session.lineage.id(of: 0).rawValue)"
        )
      }
      #expect(try await pagesWithWord() == 0)
      #expect(try await store.found("xylophonist").isEmpty)
      #expect(try await store.found("other") == ["other"])
    }
  }

  @Test func `two writers that index at once do no harm`() async throws {
    try await withSearchedStore { store in
      let sessions = [try await store.createSession(), try await store.createSession()]
      // Its own writer and connections, as another process has them.
      let layout = try StoreOpening.folder(path: store.url.path, options: store.handle.options)
      let other = StoreHandle(
        try StoreOpening.open(layout, options: store.handle.options), options: store.handle.options)
      try await withThrowingTaskGroup { group in
        for session in sessions {
          group.addTask {
            for number in 0..<300 { try await session.append(.prompt("word \(number)")) }
          }
        }
        for handle in [store.handle, other] {
          group.addTask {
            for _ in 0..<60 { _ = try await handle.write { try SearchIndex.indexBatch(in: $0.db) } }
          }
        }
        try await group.waitForAll()
      }
      try await store.indexForSearch()
      await other.store.close()
      #expect(try await store.found("word", limit: 1000).count == 600)
    }
  }

  @Test func `an index of an older version is made anew, one of a newer version is left alone`()
    async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("word one"), .prompt("word two")])
      let fork = try await session.fork(before: 1)
      try await fork.append(.prompt("word three"))
      try await store.indexForSearch()
      try await store.handle.write { try $0.db.execute("UPDATE document SET segmenter = 0") }
      let reader = try await Store(at: store.url, options: .readOnly)
      #expect(try await reader.search("word").unindexed == 3)
      #expect(try await reader.found("word").count == 3)
      await reader.close()
      #expect(try await store.search("word").unindexed == 0)
      #expect(try await store.found("word").count == 3)
      try await store.expectExactIndex()

      try await store.handle.write { try $0.db.execute("UPDATE document SET segmenter = 3") }
      try await session.append(.prompt("word four"))
      try await store.indexForSearch()
      #expect(try await store.found("word").count == 4)
      // What it can't take out word by word it takes out whole.
      try await session.revise(0, to: .prompt("word five"))
      try await store.expect("one", finds: [])
      try await store.expect("word", finds: ["word two", "word three", "word four", "word five"])
    }
  }

  @Test func `batches end at their size, and the next one goes on`() async throws {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      // Signs make a text large and its words few.
      let large = String(repeating: "-", count: 400_000)
      try await session.append((0..<5).map { .prompt("word \($0) \(large)") })
      try await session.append((0..<600).map { .prompt("word \($0)") })
      var batches = 0
      while try await store.handle.write({ try SearchIndex.indexBatch(in: $0.db) }) { batches += 1 }
      #expect((3...5).contains(batches))
      #expect(try await store.found("word", limit: 1000).count == 605)
    }
  }
}
