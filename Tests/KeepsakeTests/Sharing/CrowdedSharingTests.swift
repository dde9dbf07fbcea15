import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// Tasks of several stores that write to the sessions of one hub at the same time.
@Suite struct `Tasks and stores that write to shared sessions at once` {
  /// Every second history also erases and deletes. In half of the histories, transactions are held while the hub decides.
  @Test(arguments: RandomHistory.seeds)
  func `come to have the same, and lose nothing`(seed: UInt64) async throws {
    try await Self.crowd(seed, hasProcesses: false)
  }

  /// Two processes use each store's folder, with two tasks each. The hub answers late, so that the folder often has newer versions than those
  /// that a process has read at the hub.
  @Test(arguments: RandomHistory.seeds)
  func `of several processes come to have the same, and lose nothing`(seed: UInt64) async throws {
    try await Self.crowd(seed, hasProcesses: true)
  }

  private static func crowd(_ seed: UInt64, hasProcesses: Bool) async throws {
    let (removes, isHeld) = (seed.isMultiple(of: 2), seed % 4 >= 2)
    let reaching: (HubAddress, Int) -> HubAddress = { address, _ in
      let address = isHeld ? ExchangingHub.address(address) : address
      return hasProcesses ? LateHub.address(address) : address
    }
    // On a busy machine a task may need many tries until the hub takes its change.
    var options = Store.Options.withoutIndexing
    options.patience = .seconds(600)
    try await Sharers.make(options: options, reaching: reaching) { sharers in
      var processes: [Store] = []
      if hasProcesses {
        for (index, store) in sharers.stores.enumerated() {
          let process = try store.asAnotherProcess(options: options)
          try await process.share(reaching(sharers.address, index))
          processes.append(process)
        }
      }
      let crowd = try await SharedCrowd(
        of: sharers.stores + processes, tasks: hasProcesses ? 2 : 3,
        steps: RandomHistory.steps / 2, seed: seed, removes: removes)
      for process in processes { await process.close() }
      try await sharers.requireSame(crowd.told)
      try await crowd.requireTexts(in: sharers.first)
    }
  }

  /// The hub refuses what a task appends to a session, because another store appended first. Another task of the same store forks the session
  /// at that moment, and the fork stands on what the hub has.
  @Test func `a fork does not stand on an entry that the hub refused`() async throws {
    let plan = EventfulHub.Plan()
    let reaching = Sharers.reaching(1) { EventfulHub(hub: $0, plan: plan) }
    try await Sharers.make(reaching: reaching) { sharers in
      let theirs = try await sharers.first.createSession()
      try await theirs.append(.prompt("one"))
      let mine = try await sharers.second.session(theirs.id)
      let other = try await sharers.second.createSession()
      // While the hub is slow to answer, an entry and a fork wait for the next call.
      let tasks = Locked<[Task<Session, any Error>]>([])
      plan.next(.afterCommit) {
        try await theirs.append(.prompt("two"))
        let appending = Task {
          try await mine.append(.prompt("three"))
          return mine
        }
        try await Task.sleep(for: .milliseconds(50))
        let forking = Task { try await mine.fork() }
        try await Task.sleep(for: .milliseconds(50))
        tasks.withLock { $0 = [appending, forking] }
      }
      try await other.append(.prompt("another"))
      let made = tasks.withLock { $0 }
      #expect(made.count == 2)
      var sessions: [Session] = []
      for task in made { sessions.append(try await task.value) }
      let fork = try await sharers.first.session(try #require(sessions.last).id)
      #expect(try await fork.entries.all().first?.text == "one")
      #expect(try await theirs.entries.all().map(\.text) == ["one", "two", "three"])
      try await sharers.requireSame()
    }
  }

  /// A store deletes a session: the hub takes the deletion first, and after that the folder loses the session. Another task of the store
  /// forks the session in between.
  @Test func `a fork of a session that is deleted at the same moment is refused, or can be read`()
    async throws
  {
    let plan = EventfulHub.Plan()
    let reaching = Sharers.reaching(0) { EventfulHub(hub: $0, plan: plan) }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let forking = Locked<Task<Session, any Error>?>(nil)
      plan.next(.afterCommit) {
        forking.withLock { $0 = Task { try await session.fork() } }
        try await Task.sleep(for: .milliseconds(200))
      }
      try await sharers.first.deleteSession(session.id)
      let task = try #require(forking.withLock { $0 })
      do {
        let fork = try await task.value
        #expect(try await fork.entries.all().map(\.text) == ["one"])
      } catch let error as KeepsakeError {
        #expect(error.code == .notFound)
      }
      try await sharers.requireSame()
    }
  }

  /// A hub in a folder can't have other stores wait. Another store appends to the session just before each attempt to erase or to delete.
  @Test(arguments: [false, true])
  func `erase and delete nothing in a session to which others write all the time`(deletes: Bool)
    async throws
  {
    let plan = EventfulHub.Plan()
    var options = Store.Options.withoutIndexing
    options.patience = .milliseconds(100)
    let reaching = Sharers.reaching(1) { EventfulHub(hub: $0, plan: plan) }
    try await Sharers.make(options: options, reaching: reaching) { sharers in
      let theirs = try await sharers.first.createSession()
      try await theirs.append(.prompt("one"))
      let mine = try await sharers.second.session(theirs.id)
      let isBusy = Locked(true)
      @Sendable func append() async throws {
        guard isBusy.withLock({ $0 }) else { return }
        plan.next(.beforeCommit) { try await append() }
        try await theirs.append(.prompt("more"))
      }
      func remove() async throws {
        if deletes {
          try await sharers.second.deleteSession(theirs.id)
        } else {
          try await mine.erase(0)
        }
      }
      plan.next(.beforeCommit) { try await append() }
      let error = await #expect(throws: KeepsakeError.self) { try await remove() }
      #expect(error?.code == .locked)
      for store in sharers.stores {
        #expect(try await store.session(theirs.id).entries.all().first?.text == "one")
      }
      isBusy.withLock { $0 = false }
      try await remove()
      try await sharers.requireSame()
    }
  }

  /// A process has tried a fork. Before the hub has the fork, another process that uses the folder deletes what was forked. Nobody can
  /// read the fork then, unless another store still has what the fork shares.
  @Test(arguments: [false, true])
  func `a fork of a session that another process deleted meanwhile is taken back, or can be read`(
    isSeen: Bool
  ) async throws {
    let plan = EventfulHub.Plan()
    let reaching = Sharers.reaching(0) { EventfulHub(hub: $0, plan: plan) }
    try await Sharers.make(reaching: reaching) { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let id = UUID()
      if isSeen {
        let theirs = try await sharers.second.session(session.id)
        #expect(try await theirs.count() == 1)
        plan.next(.afterCommit) {
          try await sharers.second.session(id).append(.prompt("two"))
        }
      }
      let beside = try sharers.first.asAnotherProcess()
      try await beside.share(sharers.address)
      plan.next(.beforeCommit) { try await beside.deleteSession(session.id) }
      do {
        let fork = try await session.fork(id: id)
        #expect(isSeen)
        #expect(try await fork.entries.all().map(\.text) == ["one", "two"])
      } catch let error as KeepsakeError {
        #expect(!isSeen && error.code == .notFound)
        #expect(error.object == session.id.uuidString.lowercased())
      }
      #expect(plan.isDone)
      await beside.close()
      try await sharers.requireSame()
    }
  }

  /// A store can't read a fork of a session that it does not have. The hub has the fork, and another store may have changed it.
  @Test(arguments: [false, true])
  func `a fork that nobody can read is taken back, unless another store changed it`(
    isChanged: Bool
  ) async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.second.createSession()
      try await session.append(.prompt("one"))
      let fork = try await session.fork()
      if isChanged { try await fork.append(.prompt("two")) }
      try await sharers.first.handle.write { change in
        try change.db.hubSessions.put(.init(id: fork.id, version: 0, stamp: nil, fault: "lost"))
      }
      let sharing = try #require(sharers.first.handle.store.sharing)
      #expect(try await sharing.takeBack(fork.id, of: session.id) == !isChanged)
      let heads = try await sharing.hub.directory(of: [fork.id]).heads
      #expect(heads.map(\.version) == [2])
      if isChanged {
        try await fork.refresh()
        #expect(try await fork.entries.all().map(\.text) == ["one", "two"])
      } else {
        let ids = try await sharers.second.sessions().sessions.map(\.id)
        #expect(ids == [session.id])
      }
    }
  }

  /// A task has read that another store deleted the session, and has not removed it from the folder yet.
  @Test func `a session whose deletion was read takes no changes any more`() async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let hub = try #require(sharers.first.handle.store.sharing).hub
      let before = try await hub.directory(of: [session.id]).heads.map(\.version)
      try await sharers.first.handle.write { change in
        var row = try #require(try change.db.hubSessions.row(session.id))
        row.isRemoved = true
        try change.db.hubSessions.put(row)
      }
      for change in [{ try await session.append(.prompt("two")) }, { try await session.fork() }]
        as [() async throws -> Any]
      {
        #expect(await keepsakeError { _ = try await change() }?.code == .notFound)
      }
      #expect(try await hub.directory(of: [session.id]).heads.map(\.version) == before)
    }
  }

  /// A task wrote down the offer of a deletion that another task of the store had told the hub already.
  @Test func `an offer of a deletion that the hub knows goes with the next look at the hub`()
    async throws
  {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("one"))
      let stamp = try sharers.first.handle.read { try $0.hubSessions.row(session.id)?.stamp }
      try await sharers.first.deleteSession(session.id)
      try await sharers.first.handle.write { change in
        try change.db.offers.insert(.init(.removal(of: session.id), after: stamp))
      }
      try await sharers.requireSame()
    }
  }

  /// A fault that was noted while another task took over what the session lacked is no reason to refuse a change.
  @Test func `a session that was left aside for a moment takes changes again`() async throws {
    try await Sharers.make { sharers in
      let session = try await sharers.first.createSession()
      try await sharers.first.handle.write { change in
        var row = try #require(try change.db.hubSessions.row(session.id))
        row.fault = "It is being fetched, because a fork needs it."
        try change.db.hubSessions.put(row)
      }
      try await session.append(.prompt("one"))
      try await sharers.requireSame()
    }
  }
}
