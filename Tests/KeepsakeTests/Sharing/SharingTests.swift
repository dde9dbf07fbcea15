import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Stores that share the sessions of a hub, one change at a time.
@Suite struct `Stores that share the sessions of a hub` {
  /// A deleted session stays for its forks. Once a fork goes, too, the hub has to lose all that this fork alone needed.
  @Test func `lose what was deleted with the last fork that showed it`() async throws {
    try await Sharers.make { sharers in
      let (secret, word) = ("SECRET-\(UUID().uuidString)", "WORD-\(UUID().uuidString)")
      let hub = URL(filePath: sharers.folder.path)
      let session = try await sharers.first.createSession()
      try await session.append(.prompt(word))
      try await session.append(
        .response(secret), attaching: [.init(.bytes(Array("a picture".utf8)))])
      let short = try await session.fork(before: 1)
      let long = try await session.fork(before: 2)
      try await sharers.second.deleteSession(session.id)
      #expect(try StoreFiles.holding(secret, in: hub) != [])
      try await sharers.first.deleteSession(long.id)
      #expect(try StoreFiles.holding(secret, in: hub) == [])
      #expect(try StoreFiles.holding(word, in: hub) != [])
      try await sharers.requireSame()
      try await sharers.second.deleteSession(short.id)
      #expect(try StoreFiles.holding(word, in: hub) == [])
      try await sharers.requireSame()
      let report = try await Store.checkHub(at: sharers.address, readingData: true)
      #expect(report.isSound && report.sessions == 0, "\(report.findings)")
    }
  }

  @Test func `what one has written, the other one has when it asks`() async throws {
    try await Sharers.make { sharers in
      let mine = try await sharers.first.createSession(title: "Fruit", tags: ["ripe"])
      let prompt = try await mine.append(.prompt("a banana?"))
      #expect(prompt.position == 0)
      let theirs = try await sharers.second.session(mine.id)
      #expect(try await theirs.entries.all().map(\.text) == ["a banana?"])
      let call = Entry.ToolCall(id: "c", tool: "draw", arguments: "{}")
      try await theirs.append(.toolCalls([call]))
      let run = try await theirs.begin(.tool, "draw", callID: "c")
      #expect(try await theirs.invocations(running: true).map(\.id) == [run.id])
      let image = try await theirs.attach(
        Data(repeating: 7, count: 100_000), mediaType: .png, madeBy: call, label: "banana")
      try await theirs.end(run, .finished, output: "done")
      #expect(try await theirs.invocations(running: true).isEmpty)
      try await theirs.append(.toolOutput(callID: "c", tool: "draw", segments: [.text("drawn")]))
      // A handle that is kept shows what the folder saw last.
      #expect(try await mine.count() == 1)
      try await mine.refresh()
      #expect(try await mine.count() == 3)
      let attached = try #require(try await mine.entries.all().flatMap(\.attachments).first)
      #expect(attached.label == "banana" && attached.artifact?.id == image.artifact?.id)
      #expect(try await attached.artifact?.data().count == 100_000)
      try await mine.revise(0, to: .prompt("a green banana?"))
      try await mine.rename("Green fruit")
      let again = try await sharers.second.session(mine.id)
      #expect(try await again.entries.all()[0].text == "a green banana?")
      #expect(try await again.summary().title == "Green fruit")
      try await sharers.requireSame()
    }
  }

  @Test func `nothing is lost with a folder, and lists have what others have made`() async throws {
    try await Sharers.make { sharers in
      var ids: Set<UUID> = []
      for (index, store) in sharers.stores.enumerated() {
        let session = try await store.createSession(title: "\(index)")
        try await session.append(.prompt("\(index)"))
        ids.insert(session.id)
      }
      for store in sharers.stores {
        #expect(Set(try await store.sessions().sessions.map(\.id)) == ids)
      }
      let url = sharers.first.url
      await sharers.first.close()
      try FileManager.default.removeItem(at: url)
      let new = try await Store(at: url, joining: sharers.address, as: .shared)
      for id in ids { #expect(try await new.session(id).count() == 1) }
      await new.close()
    }
  }

  @Test func `tags are listed with the number of sessions that have each`() async throws {
    let folder = try HubFolder()
    defer { withExtendedLifetime(folder) {} }
    try await SharedTags.run(at: .folder(path: folder.path))
  }

  @Test func `several tasks of several stores write to one session, and each entry is there once`()
    async throws
  {
    try await Sharers.make(3) { sharers in
      let id = try await sharers.first.createSession().id
      try await withThrowingTaskGroup { group in
        for (index, store) in sharers.stores.enumerated() {
          for task in 0..<4 {
            group.addTask {
              let session = try await store.session(id)
              for number in 0..<8 {
                let text = "\(index) \(task) \(number)"
                let entry = try await session.append(.prompt(text))
                let place = try #require(entry.position)
                #expect(try await session.entries.all()[place].text == text)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      for store in sharers.stores {
        let texts = try await store.session(id).entries.all().map(\.text)
        #expect(texts.count == 96 && Set(texts).count == 96)
      }
      try await sharers.requireSame()
    }
  }

  /// Two tasks of a store read the same version of a session. The hub answers the first task only after the second task has taken over
  /// this version and a later one.
  @Test(arguments: [false, true])
  func `versions that another task took over meanwhile are passed over`(isHere: Bool) async throws {
    let plan = EventfulHub.Plan()
    let reaching = Sharers.reaching(1) { EventfulHub(hub: $0, plan: plan) }
    try await Sharers.make(reaching: reaching) { sharers in
      let mine = try await sharers.first.createSession()
      if isHere { _ = try await sharers.second.session(mine.id) }
      if isHere { try await mine.append(.prompt("one")) }
      plan.next(.afterVersions) { [second = sharers.second] in
        let theirs = try await second.session(mine.id)
        try await theirs.refresh()
        try await mine.append(.prompt("two"))
        try await theirs.refresh()
      }
      let theirs = try await sharers.second.session(mine.id)
      if isHere { try await theirs.refresh() }
      #expect(plan.isDone)
      let faults = try sharers.second.handle.read { try $0.hubSessions.faulty().map(\.fault) }
      #expect(faults == [])
      try await theirs.append(.prompt("three"))
      let texts = try await theirs.entries.all().map(\.text)
      #expect(texts == (isHere ? ["one"] : []) + ["two", "three"])
      try await sharers.requireSame()
    }
  }

  @Test func `a store that came too late asks first the next time, until nobody else writes`()
    async throws
  {
    let calls = Locked<[String]>([])
    let reaching = Sharers.reaching(1) { NotingHub(hub: $0, calls: calls) }
    try await Sharers.make(reaching: reaching) { sharers in
      let mine = try await sharers.first.createSession()
      let theirs = try await sharers.second.session(mine.id)
      func called(by append: () async throws -> Void) async throws -> [String] {
        calls.withLock { $0 = [] }
        try await append()
        return calls.withLock { $0 }
      }
      for _ in 0..<2 {
        try await mine.append(.prompt("a banana"))
        #expect(
          try await called { try await theirs.append(.prompt("two")) }
            == ["commit", "hold", "versions", "commit"])
        try await mine.append(.prompt("a banana"))
        #expect(
          try await called { try await theirs.append(.prompt("three")) }
            == ["hold", "versions", "commit"])
        // Nothing came from others meanwhile, and the hub still has the last version.
        #expect(
          try await called { try await theirs.append(.prompt("four")) }
            == ["hold", "versions", "versions", "commit"])
        #expect(try await called { try await theirs.append(.prompt("five")) } == ["commit"])
      }
      #expect(try await sharers.first.session(mine.id).entries.all().count == 12)
      // A change that failed, because it did not know what others wrote, is tried in its turn, too.
      try await mine.append(.prompt("a banana"))
      let made = try await called {
        await #expect(throws: KeepsakeError.self) { try await theirs.revise(99, to: .prompt("no")) }
      }
      #expect(made.first == "versions" && made.contains("hold") && !made.contains("commit"))
      try await sharers.requireSame()
    }
  }

  @Test func `a session of many versions is read with few commits`() async throws {
    try await Sharers.make { sharers in
      let mine = try await sharers.first.createSession()
      for number in 0..<40 {
        try await mine.append(
          .prompt("\(number)"), attaching: number == 20 ? [.init(.bytes([1, 2, 3]))] : [])
      }
      let writer = try #require(sharers.second.handle.database.writer)
      let before = writer.statistics.commits
      let theirs = try await sharers.second.session(mine.id)
      #expect(try await theirs.entries.all().map(\.text) == (0..<40).map { "\($0)" })
      #expect(writer.statistics.commits - before < 10)
      try await sharers.requireSame()
    }
  }

  @Test func `forks, erasing and deleting reach the others`() async throws {
    try await Sharers.make { sharers in
      let mine = try await sharers.first.createSession(title: "Fruit")
      try await mine.append([.prompt("one"), .response("secret"), .prompt("three")])
      let fork = try await sharers.second.session(mine.id).fork(before: 2, title: "Other fruit")
      try await fork.append(.prompt("four"))
      try await fork.attach(.init(.bytes(Array("secret bytes".utf8))), to: 1)
      let removed = try await mine.erase(1)
      #expect(removed.entries == 1 && removed.attachments == 1)
      let read = try await sharers.second.session(fork.id)
      #expect(try await read.entries.all().map(\.isErased) == [false, true, false])
      #expect(try await read.entries.all()[1].attachments.map(\.state) == [.erased])
      try await sharers.requireSame()
      try await sharers.second.deleteSession(mine.id)
      await #expect(throws: KeepsakeError.self) { try await sharers.first.session(mine.id) }
      #expect(try await sharers.first.session(fork.id).entries.all().map(\.text).last == "four")
      try await sharers.requireSame()
      try await sharers.first.deleteSession(fork.id)
      #expect(try await sharers.second.sessions().sessions.isEmpty)
      try await sharers.requireSame()
    }
  }

  @Test func `the first read of a session asks the hub once, and so does a look at what is new`()
    async throws
  {
    let reads = Locked(0)
    let reaching: (HubAddress, Int) -> HubAddress = { address, index in
      HubAddress(address.description) { opening in
        let hub = try await address.open(opening)
        return index == 1 ? ReadCountingHub(hub: hub, reads: reads) : hub
      }
    }
    try await Sharers.make(reaching: reaching) { sharers in
      let written = try await sharers.first.createSession(title: "Fruit")
      for text in ["a banana", "an apple", "a pear"] { try await written.append(.prompt(text)) }
      reads.withLock { $0 = 0 }
      let read = try await sharers.second.session(written.id)
      #expect(try await read.entries.all().count == 3)
      #expect(reads.withLock { $0 } == 1)
      try await written.append(.prompt("a plum"))
      try await read.refresh()
      #expect(try await read.entries.all().count == 4)
      #expect(reads.withLock { $0 } == 2)
    }
  }

  /// A store deletes a session while another one forks it, and neither knows of the other. Which of the two the hub hears first, does
  /// not matter.
  @Test(arguments: [true, false])
  func `a fork keeps what it shares when its origin is deleted at the same moment`(
    isForkFirst: Bool
  ) async throws {
    let plan = EventfulHub.Plan()
    let reaching: (HubAddress, Int) -> HubAddress = { address, index in
      HubAddress(address.description) { opening in
        let hub = try await address.open(opening)
        guard index == (isForkFirst ? 0 : 1) else { return hub }
        return EventfulHub(hub: hub, plan: plan)
      }
    }
    try await Sharers.make(reaching: reaching) { sharers in
      let (first, second) = (sharers.first, sharers.second)
      let origin = try await first.createSession(title: "Fruit")
      for text in ["a banana", "an apple", "a pear"] { try await origin.append(.prompt(text)) }
      let known = try await second.session(origin.id)
      let id = UUID()
      let fork: @Sendable () async throws -> Void = {
        let fork = try await known.fork(before: 2, id: id)
        try await fork.append(.response("a plum"))
      }
      let deletion: @Sendable () async throws -> Void = { try await first.deleteSession(origin.id) }
      plan.next(.beforeCommit, isForkFirst ? fork : deletion)
      try await isForkFirst ? deletion() : fork()
      #expect(plan.isDone)
      let texts = ["a banana", "an apple", "a plum"]
      for store in sharers.stores {
        #expect(try await store.session(id).entries.all().map(\.text) == texts)
        await #expect(throws: KeepsakeError.self) { try await store.session(origin.id) }
      }
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.share(sharers.address)
      #expect(try await late.session(id).entries.all().map(\.text) == texts)
      try await late.removeTemporary()
      try await sharers.requireSame()
      // The hub no longer has the entry that the fork does not share.
      #expect(try !sharers.folder.finds(Array("a pear".utf8)))
    }
  }

  @Test func `a draft is this store's alone until it ends`() async throws {
    try await Sharers.make { sharers in
      let mine = try await sharers.first.createSession()
      let turn = try await mine.openTurn()
      try await mine.append(.prompt("a banana?"))
      let draft = try await mine.draft()
      draft.update("It gr")
      let theirs = try await sharers.second.session(mine.id)
      #expect(try await theirs.drafts().isEmpty)
      draft.update("It grows.")
      let answer = try await draft.finish()
      #expect(answer.position == 1 && answer.turn == turn.number)
      #expect(try await mine.drafts().isEmpty)
      try await mine.close(turn, .answered)
      try await theirs.refresh()
      #expect(try await theirs.entries.all().map(\.text) == ["a banana?", "It grows."])
      #expect(try await theirs.turns().map(\.outcome) == [.answered])
      try await sharers.requireSame()
    }
  }

  @Test func `an error about what is there is only given for the newest that the hub has`()
    async throws
  {
    try await Sharers.make { sharers in
      let mine = try await sharers.first.createSession()
      let theirs = try await sharers.second.session(mine.id)
      try await mine.append([.prompt("one"), .prompt("two")])
      // The second store has not seen these entries yet.
      try await theirs.attach(.init(.bytes([1, 2, 3])), to: 1)
      try await mine.rename("Fruit")
      await #expect(throws: KeepsakeError.self) {
        try await theirs.attach(.init(.bytes([1, 2, 3])), to: 2)
      }
      // Equal content writes nothing, and what is equal is what the hub has.
      try await mine.revise(0, to: .prompt("new"))
      try await theirs.revise(0, to: .prompt("one"))
      #expect(try await mine.revisions(of: 0).count == 1)
      try await mine.refresh()
      #expect(try await mine.entries.all()[0].text == "one")
      #expect(try await mine.revisions(of: 0).count == 2)
      // An id is taken wherever it was taken.
      let error = await #expect(throws: KeepsakeError.self) {
        try await sharers.second.createSession(id: mine.id)
      }
      #expect(error?.code == .conflict)
      try await sharers.requireSame()
    }
  }

  @Test func `a store with a history becomes one that shares, and its folder is a cache then`()
    async throws
  {
    try await Mirrors.make(1, joining: false) { mirrors in
      let store = mirrors.first
      let session = try await store.createSession(title: "Fruit")
      try await session.append(.prompt("a banana?"), attaching: [.init(.bytes([1, 2, 3]))])
      let url = store.url
      await store.close()
      let shared = try await Store(at: url, joining: mirrors.address, as: .shared)
      #expect(try await shared.membership()?.way == .shared)
      #expect(try await shared.membership()?.waiting == 0)
      #expect(try await shared.handle.syncs() == 1)
      try await shared.session(session.id).append(.prompt("and a green one?"))
      for body: (Store) async throws -> Void in [
        { _ = try await $0.search("banana") },
        { _ = try await $0.importing(ForeignSource(format: "x", name: nil) { fatalError() }) },
      ] {
        let error = await #expect(throws: KeepsakeError.self) { try await body(shared) }
        #expect(error?.code == .refused)
      }
      await shared.close()

      // Without its hub it is read, and not changed.
      let alone = try await Store(at: url)
      let read = try await alone.session(session.id)
      #expect(try await read.count() == 2)
      let other = try await Store.temporary(options: .withoutIndexing)
      let foreign = try await other.createSession()
      try await foreign.append(.prompt("foreign"))
      let copy = try RecordedCopy(of: [foreign])
      let refused = await #expect(throws: KeepsakeError.self) { try await alone.restoring(copy) }
      #expect(refused?.code == .refused)
      let unread = await #expect(throws: KeepsakeError.self) {
        try await alone.importing(LineFormat.source("a|prompt|foreign\n"))
      }
      #expect(unread?.code == .refused)
      #expect(try await alone.sessions().sessions.count == 1)
      for body: (Session) async throws -> Void in [
        { _ = try await $0.append(.prompt("x")) }, { try await $0.rename("x") },
        { _ = try await $0.erase(0) }, { _ = try await alone.deleteSession($0.id) },
        { _ = try await $0.fork() }, { _ in _ = try await alone.createSession() },
        { _ in try await alone.sync() },
      ] {
        let error = await #expect(throws: KeepsakeError.self) { try await body(read) }
        #expect(error?.code == .readOnly)
      }
      #expect(try await read.count() == 2)
      #expect(try await alone.membership()?.waiting == 0)
      #expect(try await alone.handle.syncs() == 2)
      #expect(try await alone.leave() == 0)
      try await read.append(.prompt("alone again"))
      await alone.close()
      try await other.join(mirrors.address)
      try await other.sync()
      #expect(try await other.session(session.id).count() == 2)
      try await other.removeTemporary()
    }
  }

  @Test func `whoever leaves has a store of its own, whose commits the disk has`() async throws {
    try await Sharers.make(1) { sharers in
      let session = try await sharers.first.createSession()
      #expect(try await sharers.first.handle.syncs() == 1)
      #expect(try await sharers.first.leave() == 0)
      #expect(try await sharers.first.handle.syncs() == 2)
      try await session.append(.prompt("alone"))
      #expect(try await sharers.first.search("alone").hits.count == 1)
    }
  }

  @Test func `two processes share a folder, too`() async throws {
    try await Sharers.make(1) { sharers in
      let id = try await sharers.first.createSession().id
      let beside = try sharers.first.asAnotherProcess()
      try await beside.share(sharers.address)
      try await withThrowingTaskGroup { group in
        for store in [sharers.first, beside] {
          for task in 0..<3 {
            group.addTask {
              let session = try await store.session(id)
              for number in 0..<10 { try await session.append(.prompt("\(task) \(number)")) }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await sharers.first.session(id).count() == 60)
      await beside.close()
      try await sharers.requireSame()
    }
  }
}

extension StoreHandle {
  /// SQLite's number for how much the writer's commits wait for the disk: 1 for not at all, 2 for each of them.
  fileprivate func syncs() async throws -> Int64? {
    try await exclusively { try $0.connection.integer("PRAGMA synchronous") }
  }
}

/// A hub that notes which of its functions a store calls to change a session.
private struct NotingHub: ForwardingHub {
  let hub: any Hub
  let calls: Locked<[String]>

  private func note(_ call: String) { calls.withLock { $0.append(call) } }

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    note("commit")
    return try await hub.commit(offers)
  }

  func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions? {
    note("hold")
    return await hub.hold(session, readingAfter: version, bytes: bytes)
  }

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    note("versions")
    return try await hub.versions(of: session, after: version, bytes: bytes)
  }
}
