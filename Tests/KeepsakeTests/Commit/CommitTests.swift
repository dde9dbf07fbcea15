import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

@Suite(.disabled(if: SharedStores.areUsed, "Stores that share hand over no commits."))
struct CommitTests {
  @Test func `a session is the same in the other store after each change`() async throws {
    try await CommitPair.make { pair in
      let session = try await pair.first.createSession(title: "Fruit", tags: ["a"])
      try await pair.handOver("created")
      try await session.append(.prompt("Draw a banana."))
      try await pair.handOver("a prompt")
      let photo = Entry.NewAttachment(.data(Data("a photo".utf8)), label: "photo", madeBy: .user)
      try await session.append(.prompt("Draw it like the one in photo."), attaching: [photo])
      try await pair.handOver("a photo")
      var answer = Entry.response("Here it is")
      answer.key = "answer"
      try await session.append(answer)
      answer.segments = [.text("Here it is, a banana")]
      try await session.revise(2, to: answer)
      try await pair.handOver("a revision")
      answer.segments = [.text("Here it is, a pear")]
      try await session.revise(2, to: answer)
      try await pair.handOver("another")
      let fork = try await session.fork(before: 2)
      try await fork.append(.response("Another answer."))
      try await pair.handOver("a fork")
      try await session.erase(1)
      try await pair.handOver("erased")
      try await session.rename("Vegetables")
      try await session.tag(["b"], removing: ["a"])
      try await pair.handOver("renamed")
      try await pair.first.deleteSession(session.id)
      try await pair.handOver("deleted")
      try await fork.erase(0)
      try await pair.handOver("erased in what a deleted one left")
      try await pair.verify()
    }
  }

  @Test(arguments: RandomHistory.seeds)
  func `a random history comes over step by step`(seed: UInt64) async throws {
    try await CommitPair.make { pair in
      var history = RandomHistory(seed: seed)
      // Both stores are compared after each, which takes the most of it.
      for number in 1...RandomHistory.steps / 2 {
        let step = try await history.step(on: pair.first)
        try await pair.handOver("seed \(seed), step \(number), \(step)")
      }
      #expect(try await pair.difference() == nil)
      try await pair.verify()
    }
  }

  /// Each carried table. Of an import, `import` and `source` are written together, and either tells of it.
  private static let tables =
    CarriedTable.all.map(\.listed).filter { $0 != "import: import" && $0 != "source: import" }.map {
      [$0]
    } + [
      ["import: import", "source: import"]
    ]

  /// A history tells of each carried table whether commits leave it out.
  @Test(arguments: tables)
  func `a table that is left out makes a difference`(names: [String]) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { first in
      try await first.handle.write { change in
        try change.db.unsent.begin(CarriedTable.all.filter { !names.contains($0.listed) })
      }
      try await withTemporaryStore(options: .withoutIndexing) { second in
        let pair = CommitPair(first: first, second: second)
        var history = RandomHistory(seed: 7)
        for number in 1...200 {
          _ = try await history.step(on: first)
          do { try await pair.handOver() } catch { return }
          if number % 10 == 0, try await pair.difference() != nil { return }
        }
        Issue.record("nothing is missed without \(names)")
      }
    }
  }

  /// A commit is refused, and nothing of it is written, whatever value of a record is changed that the chain covers.
  @Test func `a commit that lies is refused`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      var history = RandomHistory(seed: 3)
      for _ in 0..<30 { _ = try await history.step(on: pair.first) }
      let bytes = StoredBytes(store: pair.first)
      var lies = 0
      for commit in try await pair.first.takeCommits() {
        for lie in CommitLies(commit).all {
          lies += 1
          await #expect(throws: (any Error).self, "\(lie.what)") {
            try await pair.second.apply(lie.commit, artifacts: bytes)
          }
        }
        try await pair.second.apply(commit, artifacts: bytes)
      }
      #expect(lies > 300)
      #expect(try await pair.difference() == nil)
      try await pair.verify()
    }
  }

  @Test func `bytes that are cut, altered or mixed are refused`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await session.append([.prompt("Pears?"), .response("Here.")])
      let commit = try await pair.first.takeCommits()[0]
      let bytes = try commit.encoded()
      #expect(try SessionCommit(decoding: bytes).encoded() == bytes)
      for end in bytes.indices {
        #expect(throws: (any Error).self) { try SessionCommit(decoding: Array(bytes[..<end])) }
      }
      for index in bytes.indices {
        var altered = bytes
        altered[index] ^= 1 << (index % 8)
        #expect(throws: (any Error).self) { try SessionCommit(decoding: altered) }
      }
      // The digest of all lines has one spelling.
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      let sum = String(try #require(lines.last))
      let capital = sum.uppercased().replacing("SHA256", with: "sha256")
      for other in [capital, sum + " ", sum.replacing(":", with: ": ")] {
        let spelled = (lines.dropLast() + [other[...]]).joined(separator: "\n") + "\n"
        #expect(throws: CopyFault.self) { try SessionCommit(decoding: Array(spelled.utf8)) }
      }
    }
  }

  @Test func `a commit that was made to another state is refused, and one that is sent twice`()
    async throws
  {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let bytes = StoredBytes(store: pair.first)
      let session = try await pair.first.createSession(title: "Fruit")
      let created = try await pair.first.takeCommits()[0]
      try await session.append(.prompt("Pears?"))
      let first = try await pair.first.takeCommits()[0]
      try await session.append(.response("Here."))
      let second = try await pair.first.takeCommits()[0]
      try await pair.second.apply(created, artifacts: bytes)
      for early in [second, created] {
        let error = await keepsakeError { try await pair.second.apply(early, artifacts: bytes) }
        #expect(error?.code == .conflict)
      }
      try await pair.second.apply(first, artifacts: bytes)
      let again = await keepsakeError { try await pair.second.apply(first, artifacts: bytes) }
      #expect(again?.code == .conflict)
      try await pair.second.apply(second, artifacts: bytes)
      #expect(try await pair.difference() == nil)
    }
  }

  @Test func `who looks at a session is told what came from elsewhere`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await pair.handOver("created")
      var events = pair.second.events.makeAsyncIterator()
      try await session.append([.prompt("Pears?"), .response("Here.")])
      try await pair.handOver("appended")
      guard case .appended(session.id, 0..<2)? = await events.next() else {
        Issue.record("not told of what was appended")
        return
      }
      try await session.revise(1, to: .response("There."))
      try await pair.handOver("revised")
      guard case .revised(session.id, 1)? = await events.next() else {
        Issue.record("not told of what was revised")
        return
      }
      try await session.rename("Vegetables")
      try await pair.handOver("renamed")
      guard case .renamed(session.id)? = await events.next() else {
        Issue.record("not told of the name")
        return
      }
    }
  }

  @Test func `what was deleted here does not come back, and nothing is half there`() async throws {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let bytes = StoredBytes(store: pair.first)
      let session = try await pair.first.createSession(title: "Fruit")
      try await session.append(.prompt("Pears?"))
      let created = try await pair.first.takeCommits()[0]
      for kind in [CopyRecord.Kind.session, .standing] {
        let half = SessionCommit(
          session: created.session, base: created.base, end: created.end,
          records: created.records.filter { $0.kind != kind }, gone: [], erased: [])
        await #expect(throws: CopyFault.self) {
          try await pair.second.apply(half, artifacts: bytes)
        }
      }
      try await pair.second.apply(created, artifacts: bytes)
      let fork = try await pair.second.session(session.id).fork()
      try await pair.second.deleteSession(session.id)
      try await session.append(.response("Here."))
      let late = try await pair.first.takeCommits()[0]
      let error = await keepsakeError { try await pair.second.apply(late, artifacts: bytes) }
      #expect(error?.code == .notFound)
      #expect(try await fork.texts() == ["Pears?"])
      try await pair.verify()
    }
  }

  /// A store that takes over many steps at once gets the outcome of all of them, and no rows that came and went between.
  @Test(arguments: RandomHistory.seeds)
  func `a random history comes over in large pieces`(seed: UInt64) async throws {
    try await CommitPair.make { pair in
      var history = RandomHistory(seed: seed)
      var steps: [String] = []
      for number in 1...RandomHistory.steps {
        steps.append("\(number) \(try await history.step(on: pair.first))")
        if number % 25 == 0 || number == RandomHistory.steps {
          try await pair.handOver("seed \(seed)\n\(steps.joined(separator: "\n"))")
          #expect(try await pair.difference() == nil)
        }
      }
      try await pair.verify()
    }
  }

  /// A store with a history is taken over as it is, and then follows.
  @Test(arguments: RandomHistory.seeds)
  func `what was there before comes over as a whole`(seed: UInt64) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { first in
      try await withTemporaryStore(options: .withoutIndexing) { second in
        let pair = CommitPair(first: first, second: second)
        var history = RandomHistory(seed: seed)
        for _ in 1...80 { _ = try await history.step(on: first) }
        let bytes = StoredBytes(store: first)
        for commit in try await first.wholeCommits(of: history.talks.map(\.session.id)) {
          try await second.apply(SessionCommit(decoding: commit.encoded()), artifacts: bytes)
        }
        #expect(try await pair.difference() == nil)
        try await first.handle.write { change in try change.db.unsent.begin() }
        for number in 1...20 {
          let step = try await history.step(on: first)
          try await pair.handOver("seed \(seed), step \(number), \(step)")
        }
        try await pair.verify()
      }
    }
  }

  /// The counters of a deleted session come with no commit. Its bytes were counted as none, and erasing made them fewer.
  @Test func `what a deleted session left can be erased where it came from elsewhere`() async throws
  {
    try await CommitPair.make(options: .withoutIndexing) { pair in
      let session = try await pair.first.createSession(title: "Fruit")
      try await session.append([.prompt("Pears?"), .response("Here.")])
      let fork = try await session.fork()
      try await pair.first.deleteSession(session.id)
      let bytes = StoredBytes(store: pair.first)
      for commit in try await pair.first.wholeCommits(of: [fork.id]) {
        try await pair.second.apply(commit, artifacts: bytes)
      }
      let other = try await pair.second.session(fork.id)
      try await other.erase(0)
      try await other.erase(1)
      #expect(try await other.entries.all().allSatisfy(\.isErased))
      try await pair.verify()
    }
  }

  @Test func `a store that notes nothing says so`() async throws {
    try await withTemporaryStore { store in
      let error = await keepsakeError { try await store.takeCommits() }
      #expect(error?.code == .invalid)
    }
  }
}

extension CarriedTable {
  /// The name of the table, and of the kind of records that its rows are listed as.
  fileprivate var listed: String { "\(name): \(kind.rawValue)" }
}
