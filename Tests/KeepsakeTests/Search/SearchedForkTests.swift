import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Searching forks, and what is hidden")
struct SearchedForkTests {
  @Test func `what forks share is found once, and by each that shows it`() async throws {
    try await withSearchedStore { store in
      let parent = try await store.createSession(title: "parent")
      try await parent.append([.prompt("word a"), .response("word b"), .prompt("word c")])
      let fork = try await parent.fork(before: 2, title: "fork")
      try await fork.append(.prompt("word d"))
      let leaf = try await fork.fork(title: "leaf")
      try await leaf.append(.response("word e"))
      try await fork.append(.response("word f"))
      try await store.expect(
        "word", finds: ["word a", "word b", "word c", "word d", "word e", "word f"])
      try await store.expect(
        "word", in: .init(session: parent.id), finds: ["word a", "word b", "word c"])
      try await store.expect(
        "word", in: .init(session: fork.id), finds: ["word a", "word b", "word d", "word f"])
      try await store.expect(
        "word", in: .init(session: leaf.id), finds: ["word a", "word b", "word d", "word e"])
      let hits = try await store.search("word", in: .init(session: leaf.id)).hits
      #expect(hits.allSatisfy { $0.session == leaf.id && $0.title == "leaf" })
      #expect(Set(hits.map(\.position)) == [0, 1, 2, 3])
    }
  }

  @Test func `a fork is searched in its own wording`() async throws {
    try await withSearchedStore { store in
      let parent = try await store.createSession()
      try await parent.append([.prompt("old word"), .response("old answer")])
      let fork = try await parent.fork()
      try await parent.revise(0, to: .prompt("new word"))
      try await parent.attach(
        .init(.bytes([1]), label: "later", caption: "cherry"), to: 1)
      let (own, other) = (SearchScope(session: parent.id), SearchScope(session: fork.id))
      for _ in 0..<2 {
        try await store.expect("word", in: own, finds: ["new word"])
        try await store.expect("word", in: other, finds: ["old word"])
        try await store.expect("new", in: other, finds: [])
        try await store.expect("cherry", in: other, finds: [])
        try await store.expect("answer -cherry", in: other, finds: ["old answer"])
        try await store.expect("answer -cherry", in: own, finds: [])
        try await store.expect("old word", finds: [])
        #expect(try await store.found("old", in: other, limit: 1) == ["old answer", "old word"])
      }
    }
  }

  @Test func `an entry whose attachment gets a caption after it was indexed is found once`()
    async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("word a"), .response("word b")])
      let attached = try await session.attach(.init(.bytes([1]), madeBy: .user), to: 0)
      try await store.indexForSearch()
      try await session.caption(attached, "cherry")
      for _ in 0..<2 {
        #expect(try await store.search("cherry").hits.map(\.position) == [0])
        #expect(try await store.search("word").hits.map(\.position).sorted() == [0, 1])
        try await store.indexForSearch()
      }
    }
  }

  @Test func `hidden sessions do not show, and purged ones only through their forks`() async throws
  {
    try await withSearchedStore { store in
      let session = try await store.createSession(tags: ["red"])
      try await session.append([.prompt("word a"), .response("word b"), .prompt("word c")])
      let fork = try await session.fork(before: 2, title: "heir")
      let leaf = try await fork.fork(title: "leaf")
      try await fork.tag(["blue"], removing: ["red"])
      try await leaf.tag([], removing: ["red"])
      func set(_ state: Int, _ session: Session) async throws {
        try await store.handle.write { change in
          let update = try change.db.prepare("UPDATE session SET state = ? WHERE number = ?")
          update.bind(state, at: 1)
          update.bind(session.number, at: 2)
          try update.run()
        }
      }
      try await set(1, session)
      try await store.expect("word", finds: [])
      let error = try await #require(throws: KeepsakeError.self) {
        try await store.search("word", in: .init(session: session.id))
      }
      #expect(error.code == .notFound)
      try await set(2, session)
      try await store.expect("word", finds: ["word a", "word b"])
      #expect(try await store.search("word").hits.allSatisfy { $0.session == fork.id })
      try await store.expect("word", in: .init(tag: "blue"), finds: ["word a", "word b"])
      try await store.expect("word", in: .init(tag: "red"), finds: [])
      try await set(2, fork)
      #expect(try await store.search("word").hits.map(\.title) == ["leaf", "leaf"])
      try await set(2, leaf)
      try await store.expect("word", finds: [])
    }
  }
}
