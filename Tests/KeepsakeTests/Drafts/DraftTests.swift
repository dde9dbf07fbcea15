import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `Drafts` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      try await body(store, try await store.createSession())
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `snapshots, deltas and structures come to what the model said last`() async throws {
    try await withSession { _, session in
      let snapshots = try await session.draft(.response, lane: "chat", model: "large")
      for text in ["A", "A ripe", "A green"] { snapshots.update(text) }
      let first = try await snapshots.finish()
      #expect(first.text == "A green")
      #expect([first.lane, first.model] == ["chat", "large"])
      #expect(first.id == snapshots.id)

      let deltas = try await session.draft(.reasoning)
      for delta in ["e", "\u{301}", "t", "é"] { deltas.append(delta) }
      let reasoned = try await deltas.finish()
      #expect(reasoned.text.isSameText(as: "e\u{301}té"))

      let structured = try await session.draft()
      structured.update(structure: try JSON(validating: #"{"n": 1.0}"#), schema: "Count")
      structured.update(structure: try JSON(validating: #"{"m": 2, "n": 1.0}"#), schema: "Count")
      let third = try await structured.finish()
      let json = try JSON(validating: #"{"m": 2, "n": 1.0}"#)
      #expect(third.segments == [.structure(json, schema: "Count")])

      let final = try await session.draft()
      final.update("so far")
      let fourth = try await final.finish(.response("the whole answer"))
      #expect(fourth.text == "the whole answer")
      #expect(fourth.id == final.id)
      #expect(try await session.count() == 4)
    }
  }

  @Test func `a draft ends once, and nothing changes it then`() async throws {
    try await withSession { _, session in
      let draft = try await session.draft()
      draft.update("partial")
      let entry = try await draft.fail()
      #expect(entry.status == .failed)
      draft.update("too late")
      draft.append(", and later")
      #expect(draft.text == "partial")
      for end: @Sendable () async throws -> Entry in [
        { try await draft.finish() }, { try await draft.cancel() },
      ] {
        do {
          let error = await keepsakeError { try await end() }
          #expect(error?.code == .conflict)
        }
      }
      #expect(try await session.entries.all() == [entry])
    }
  }

  @Test func `what was written of any stream of snapshots is its newest, for another process too`()
    async throws
  {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let pieces = ["a", "é", "e\u{301}", "藍", "👩‍👩‍👧", "\n", "\u{0}", "\"", "{\"k\":1}"]
    try await withSession { store, session in
      let draft = try await session.draft()
      let elsewhere = try openElsewhere(store)
      let other = try await elsewhere.session(session.id)
      for round in 0..<60 {
        var text = draft.text
        // What a model says so far may begin in another way than what it said before.
        if Bool.random(using: &random) {
          text = String(
            decoding: text.utf8.prefix(Int.random(in: 0...text.utf8.count, using: &random)),
            as: UTF8.self)
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          text += pieces.randomElement(using: &random) ?? ""
        }
        draft.update(text)
        try await draft.flush()
        let seen = try await other.drafts().map(\.text)
        #expect(seen.first?.isSameText(as: text) == true, "seed \(seed), round \(round)")
      }
      #expect(try await other.drafts().map(\.isInterrupted) == [false])
      await elsewhere.close()
      try await draft.finish()
    }
  }

  @Test func `one that is written several times at once is written by turns`() async throws {
    try await withSession { _, session in
      let draft = try await session.draft()
      for round in 0..<20 {
        draft.append("\(round) ")
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<4 { group.addTask { try await draft.flush() } }
          try await group.waitForAll()
        }
        #expect(try await session.drafts().map(\.text) == [draft.text])
      }
      try await draft.finish()
    }
  }

  @Test func `a draft whose process ended is kept as interrupted, or discarded`() async throws {
    let store = try await Store.temporary()
    let url = store.url
    let session = try await store.createSession()
    try await session.append(.prompt("a story"))
    var template = Entry(.response)
    template.lane = "chat"
    template.model = "large"
    template.key = "answer-1"
    template.author = "storyteller"
    template.visibility = .person
    template.tags = ["story"]
    template.metadata = .object([("tone", .string("warm"))])
    for text in ["Once upon", "Never"] {
      template.id = Entry.newID()
      let draft = try await session.draft(template)
      draft.update(text)
      try await draft.flush()
    }
    let streaming = try await session.drafts()
    #expect(streaming.map(\.isInterrupted) == [false, false])
    do {
      let error = await keepsakeError { try await session.keep(streaming[0]) }
      #expect(error?.code == .conflict)
    }
    do {
      let error = await keepsakeError { try await session.discard(streaming[0]) }
      #expect(error?.code == .conflict)
    }
    await store.close()

    let again = try await Store(at: url)
    let reopened = try await again.session(session.id)
    let found = try await reopened.drafts()
    #expect(found.map(\.text) == ["Once upon", "Never"])
    #expect(found.map(\.isInterrupted) == [true, true])
    let kept = try await cancelled { try await reopened.keep(found[0]) }
    try await cancelled { try await reopened.discard(found[1]) }
    #expect(kept.status == .interrupted)
    #expect(kept.id == found[0].id)
    #expect(
      [kept.lane, kept.model, kept.key, kept.author] == [
        "chat", "large", "answer-1", "storyteller",
      ])
    #expect(kept.visibility == .person)
    #expect(kept.tags == ["story"])
    #expect(kept.metadata == template.metadata)
    #expect(try await reopened.drafts().isEmpty)
    #expect(try await reopened.entries.all().map(\.text) == ["a story", "Once upon"])
    do {
      let error = await keepsakeError { try await reopened.keep(found[0]) }
      #expect(error?.code == .notFound)
    }
    #expect(try await again.verify().findings == [])
    try await again.removeTemporary()
  }

  @Test func `a draft that can't be finished stays, and can be finished otherwise`() async throws {
    try await withSession { _, session in
      var other = Entry.response("stored")
      other.key = "k"
      try await session.append(other)
      let draft = try await session.draft()
      draft.update("streamed")
      other.segments = [.text("of the same key")]
      let clashing = other
      do {
        let error = await keepsakeError { try await draft.finish(clashing) }
        #expect(error?.code == .conflict)
      }
      #expect(try await session.drafts().map(\.id) == [draft.id])
      #expect(try await draft.finish().text == "streamed")
    }
  }
}
