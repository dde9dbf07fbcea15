import Foundation
import Testing

@testable import Keepsake

@Suite struct `Stores that joined a hub` {
  @Test func `have what each of them wrote`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Ships")
      try await session.append(.prompt("Draw a ship."))
      let small = try await session.attach(.init(.bytes(Array("small".utf8)), madeBy: .user), to: 0)
      let large = try await session.attach(
        .init(.bytes(Array(repeating: 7, count: 300_000)), madeBy: .user), to: 0)
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("A ship, in a fork."))
      let sent = try await mirrors.first.sync()
      #expect(sent.sent == [session.id, fork.id])
      #expect(sent.sentArtifacts == 2)
      #expect(sent.sentBytes == 300_005)
      let received = try await mirrors.second.sync()
      #expect(received.received == [session.id, fork.id])
      #expect(received.receivedArtifacts == 2)
      #expect(received.receivedBytes == 300_005)
      try await mirrors.requireSame()
      let there = try await mirrors.second.session(session.id)
      #expect(
        try await there.attachments().map(\.artifact?.id) == [small, large].map(\.artifact?.id))

      try await there.append(.response("A ship."))
      try await there.rename("Ships and boats")
      #expect(try await mirrors.second.sync().sent == [session.id])
      #expect(try await mirrors.first.sync().received == [session.id])
      try await mirrors.requireSame()
      // The handle that was open all the time shows what came.
      #expect(try await session.count() == 2)

      let nothing = try await mirrors.sync()
      #expect(nothing.allSatisfy { $0 == SyncReport() })
    }
  }

  @Test func `tell what they had before they joined, and take what the hub had`() async throws {
    try await Mirrors.make(joining: false) { mirrors in
      for (number, store) in mirrors.stores.enumerated() {
        let session = try await store.createSession(title: "Before \(number)")
        try await session.append(.prompt("Said before \(number)."))
        try await session.attach(
          .init(.bytes(Array("picture \(number)".utf8)), madeBy: .user), to: 0)
        let parent = try await store.createSession()
        try await parent.append(.prompt("A parent that is deleted."))
        try await parent.append(.response("This is in no fork."))
        let fork = try await parent.fork(before: 1)
        try await fork.append(.prompt("What its fork says."))
        try await store.deleteSession(parent.id)
        try await store.join(mirrors.address)
        #expect(try await store.membership()?.waiting ?? 0 > 2)
      }
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.sessions().sessions.count == 4)
        let membership = try #require(try await store.membership())
        #expect(membership.waiting == 0)
        #expect(membership.aside == [])
        #expect(membership.synced != nil)
      }
    }
  }

  @Test func `delete what one of them deleted`() async throws {
    try await Mirrors.make(3) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("To be deleted."))
      let kept = try await session.fork(before: 1)
      try await kept.append(.prompt("A fork that stays."))
      try await mirrors.sync()
      let second = mirrors.stores[1]
      try await second.deleteSession(session.id)
      // The first store makes a fork of it before it hears of that.
      try await second.sync()
      let report = try await mirrors.first.sync()
      #expect(report.removed == [session.id])
      // The third store hears of the deletion and of a change to the fork at once.
      try await kept.append(.prompt("Said later."))
      try await mirrors.first.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        #expect(try await store.session(kept.id).count() == 3)
        #expect(try await store.membership()?.waiting == 0)
      }
      // Who joins later gets the fork with what it needs of its deleted parent.
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.join(mirrors.address)
      try await late.sync()
      #expect(try await CommitPair(first: mirrors.first, second: late).difference() == nil)
      try await late.removeTemporary()
    }
  }

  @Test func `never tell what was made and deleted between two syncs`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "A secret")
      try await session.append(.prompt("Nobody else is to see this."))
      try await mirrors.first.deleteSession(session.id)
      #expect(try await mirrors.first.sync() == SyncReport())
      #expect(try await mirrors.first.membership()?.waiting == 0)
      #expect(try HubFolder.files(mirrors.folder.path).allSatisfy { !$0.hasPrefix("session/") })
    }
  }

  @Test func `merge titles and words that come from different sides`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Old")
      try await session.append(.prompt("One."))
      let other = try await mirrors.first.createSession(title: "Old, too")
      try await other.append(.prompt("One."))
      try await mirrors.sync()
      // The first store says more, the second gives another title; of the other session it is the other way round.
      try await session.append(.response("Two."))
      try await mirrors.second.session(session.id).rename("New")
      try await other.rename("New, too")
      try await mirrors.second.session(other.id).append(.response("Two."))
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(session.id).summary().title == "New")
        #expect(try await store.session(session.id).count() == 2)
        #expect(try await store.session(other.id).summary().title == "New, too")
        #expect(try await store.session(other.id).count() == 2)
      }
    }
  }

  @Test func `merge what changed of a session that comes because a fork needs it`() async throws {
    try await Mirrors.make { mirrors in
      // Sessions come in the order of their ids, so the forks, which have random ones, come before what they forked from.
      let id = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
      let session = try await mirrors.first.createSession(id: id)
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Two."))
      let fork = try await session.fork(before: 2)
      try await fork.append(.prompt("In the fork."))
      let there = try await mirrors.second.session(id)
      try await there.rename("New")
      let turn = try await there.openTurn()
      try await there.close(turn, .answered)
      for report in try await mirrors.sync() { #expect(report.aside.isEmpty, "\(report)") }
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(id).summary().title == "New")
        #expect(try await store.session(id).count() == 2)
        #expect(try await store.session(fork.id).count() == 3)
      }
    }
  }

  @Test(arguments: 1...5)
  func `merge what a program changes while a session is read from the hub`(moment: Int) async throws
  {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Two."))
      try await mirrors.first.sync()
      let there = try await mirrors.second.session(session.id)
      let busy = InterruptedHub.address(mirrors.address, counting: .after) { call in
        guard call == moment else { return }
        try await there.rename("New")
        try await there.close(there.openTurn(), .answered)
      }
      let report = try await mirrors.second.sync(with: busy)
      #expect(report.aside.isEmpty && report.failed.isEmpty, "\(report)")
      if try await there.summary().title == nil {
        // The sync made fewer calls, so the program never wrote.
        try await there.rename("New")
      }
      for report in try await mirrors.sync() { #expect(report.aside.isEmpty, "\(report)") }
      try await mirrors.requireSame()
      #expect(try await session.summary().title == "New")
      #expect(try await session.count() == 2)
    }
  }

  @Test func `meet again at another hub, where nothing comes twice`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Ships")
      try await session.append(.prompt("Draw a ship."))
      try await session.attach(.init(.bytes(Array("ship".utf8)), madeBy: .user), to: 0)
      try await session.fork(before: 1).append(.response("In a fork."))
      try await mirrors.sync()
      let folder = try HubFolder()
      let other = HubAddress.folder(path: folder.path)
      try await Store.makeHub(at: other)
      try await session.append(.response("Said after the first hub was lost."))
      for store in mirrors.stores {
        try await store.leave()
        try await store.join(other)
      }
      try await mirrors.sync()
      let reports = try await mirrors.sync()
      #expect(reports.allSatisfy { $0 == SyncReport() }, "\(reports)")
      try await mirrors.requireSame()
      #expect(try await mirrors.second.sessions(limit: 10).sessions.count == 2)
      #expect(try await mirrors.second.session(session.id).count() == 2)
      #expect(try await Store.checkHub(at: other, readingData: true).findings == [])
    }
  }

  @Test func `note the changes of every process that has the store open`() async throws {
    try await Mirrors.make(2, joining: false) { mirrors in
      // This one opened the store before anybody joined.
      let early = try mirrors.first.asAnotherProcess()
      let session = try await early.createSession()
      try await mirrors.first.join(mirrors.address)
      try await session.append(.prompt("By the process that did not join."))
      try await mirrors.first.sync()
      try await session.append(.prompt("And this, after a sync."))
      try await early.sync()
      try await mirrors.second.join(mirrors.address)
      try await mirrors.second.sync()
      #expect(try await mirrors.second.session(session.id).count() == 2)
      try await mirrors.requireSame()
      // When one leaves, all do.
      #expect(try await early.leave() == 0)
      #expect(try await mirrors.first.membership() == nil)
      try await session.append(.prompt("Not told."))
      let rows = try early.handle.read { try $0.unsent.sessions() }
      #expect(rows == [])
      await #expect(throws: KeepsakeError.self) { try await mirrors.first.sync() }
      await early.close()
    }
  }

  @Test func `may be synced by several processes at once`() async throws {
    try await Mirrors.make { mirrors in
      let again = try mirrors.first.asAnotherProcess()
      var sessions: [Session] = []
      for number in 0..<12 {
        let session = try await mirrors.first.createSession(title: "\(number)")
        try await session.append(.prompt("Said \(number)."))
        sessions.append(session)
      }
      for round in 0..<4 {
        async let one = mirrors.first.sync()
        async let two = again.sync()
        async let three = mirrors.second.sync()
        for session in sessions { try await session.append(.response("Round \(round).")) }
        let reports = try await [one, two, three]
        #expect(reports.allSatisfy { $0.aside.isEmpty && $0.failed.isEmpty }, "\(reports)")
      }
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try await mirrors.second.session(sessions[0].id).count() == 5)
      await again.close()
    }
  }

  @Test func `keep both continuations of a session, and say so`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession(title: "Ships")
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Here."))
      let there = try await mirrors.second.session(session.id)
      try await there.append(.response("There."))
      try await there.attach(.init(.bytes(Array("a picture".utf8))), to: 1)
      let fork = try await there.fork()
      try await fork.append(.prompt("A fork of what is said there."))
      let other = try await mirrors.second.createSession()
      try await other.append(.prompt("The others go on."))
      let reports = try await mirrors.sync()
      let parted = try #require(reports.flatMap(\.parted).first)
      #expect(reports.flatMap(\.parted).count == 1)
      #expect(parted.session == session.id)
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.session(session.id).entry(at: 1).text == "Here.")
        let continuation = try await store.session(parted.continuation)
        #expect(try await continuation.entries(last: 1000).map(\.text) == ["One.", "There."])
        #expect(try await continuation.summary().title == "Ships")
        let picture = try #require(try await continuation.attachments().first?.artifact)
        #expect(try await picture.data() == Data("a picture".utf8))
        let forks = try await store.session(fork.id)
        #expect(
          try await forks.entries(last: 1000).map(\.text)
            == ["One.", "There.", "A fork of what is said there."])
        #expect(try await store.membership()?.waiting == 0)
        #expect(try await store.membership()?.aside == [])
      }
      // The handle from before does not go on with what has become another session.
      let error = await #expect(throws: KeepsakeError.self) {
        try await there.append(.prompt("Late."))
      }
      #expect(error?.code == .conflict)
    }
  }

  @Test func `keep what was said to a session that was deleted elsewhere`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("To be deleted."))
      try await mirrors.sync()
      try await mirrors.second.session(session.id).append(.response("Said meanwhile."))
      try await mirrors.first.deleteSession(session.id)
      let reports = try await mirrors.sync()
      try await mirrors.requireSame()
      let parted = try #require(reports.flatMap(\.parted).first)
      for store in mirrors.stores {
        await #expect(throws: KeepsakeError.self) { try await store.session(session.id) }
        let texts = try await store.session(parted.continuation).entries(last: 1000).map(\.text)
        #expect(texts.last == "Said meanwhile.")
        #expect(!texts.contains("To be deleted."))
      }
    }
  }

  @Test func `erase everywhere what was erased in a session that parts`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("A secret."))
      try await session.append(.response("Noted."))
      let picture = Array("a secret picture".utf8)
      try await session.attach(.init(.bytes(picture)), to: 1)
      try await mirrors.sync()
      let there = try await mirrors.second.session(session.id)
      try await there.erase(0)
      let attached = try #require(try await there.attachments().first)
      try await there.erase(attached)
      try await session.append(.prompt("It goes on elsewhere."))
      try await mirrors.sync()
      try await mirrors.requireSame()
      for store in mirrors.stores {
        #expect(try await store.artifacts().artifacts.isEmpty)
        for summary in try await store.sessions().sessions {
          let entries = try await store.session(summary.id).entries(last: 10)
          #expect(!entries.map(\.text).contains("A secret."))
        }
        #expect(try await store.session(session.id).count() == 3)
        #expect(try await store.membership()?.waiting == 0)
      }
    }
  }

  @Test func `offer nothing twice when a backup of one is restored`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Two."))
      let place = mirrors.folder.url.appending(path: "Backup.keepsake")
      _ = try await mirrors.first.backup(to: place)
      try await mirrors.sync()
      try await session.append(.prompt("Three."))
      try await mirrors.sync()
      // The backup has a change that is still to be sent, and that the hub has.
      let restored = try await Store(at: place, options: .withoutIndexing)
      let report = try await restored.sync()
      #expect(report.parted == [])
      #expect(report.sent == [])
      #expect(try await restored.session(session.id).count() == 3)
      #expect(try await CommitPair(first: mirrors.first, second: restored).difference() == nil)
      try await restored.session(session.id).append(.response("Four."))
      try await restored.sync()
      try await mirrors.sync()
      #expect(try await session.count() == 4)
      await restored.close()
    }
  }

  @Test func `give back to a hub that went back what it lost`() async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      let copy = try mirrors.folder.crash()
      try await session.append(.response("Two."))
      let lost = try await mirrors.second.createSession()
      try await lost.append(.prompt("A session that the hub loses."))
      try await mirrors.sync()
      try FileManager.default.removeItem(atPath: mirrors.folder.path)
      try FileManager.default.moveItem(atPath: copy, toPath: mirrors.folder.path)
      // Who comes first after that says something else.
      let third = try await Store.temporary(options: .withoutIndexing)
      try await third.join(mirrors.address)
      try await third.sync()
      try await third.session(session.id).append(.response("Another two."))
      try await third.sync()
      try await mirrors.sync()
      try await third.sync()
      try await mirrors.sync()
      try await mirrors.requireSame()
      #expect(try await CommitPair(first: mirrors.first, second: third).difference() == nil)
      let texts = try await third.sessions().sessions.map(\.id)
      var said: Set<String> = []
      for id in texts {
        said.formUnion(try await third.session(id).entries(last: 1000).map(\.text))
      }
      #expect(said == ["One.", "Two.", "Another two.", "A session that the hub loses."])
      try await third.removeTemporary()
    }
  }

  @Test(arguments: 1...2)
  func `have a fork again whose origin the hub lost`(position: Int) async throws {
    let clock = HistoryClock()
    try await Mirrors.make(options: clock.options) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("One."))
      try await mirrors.sync()
      try await session.append(.response("Two."))
      let fork = try await session.fork(before: position)
      try await fork.append(.prompt("In the fork."))
      try await mirrors.first.sync()
      // The hub loses the newest version of the origin, and keeps the fork. Then another store goes on with the origin.
      let files = try HubFolder.files(mirrors.folder.path).filter {
        $0.hasPrefix("session/") && $0.lowercased().contains(session.id.uuidString.lowercased())
      }
      #expect(files.count == 2)
      try FileManager.default.removeItem(atPath: "\(mirrors.folder.path)/\(files[0])")
      try await mirrors.second.session(session.id).append(.response("Another two."))
      #expect(try await mirrors.second.sync().sent == [session.id])
      clock.tick(seconds: 7200)
      try await mirrors.sync()
      let reports = try await mirrors.sync()
      #expect(reports.allSatisfy { $0 == SyncReport() }, "\(reports)")
      try await mirrors.requireSame()
      for store in mirrors.stores {
        let shown = try await store.session(fork.id).entries(last: 9).map(\.text)
        #expect(shown == ["One.", "Two."].prefix(position) + ["In the fork."])
        #expect(try await store.sessions().sessions.count == 3)
      }
    }
  }

  @Test func `say who is at the address`() async throws {
    try await Mirrors.make { mirrors in
      let other = try HubFolder()
      let elsewhere = HubAddress.folder(path: other.path)
      let error = await #expect(throws: KeepsakeError.self) {
        try await mirrors.first.join(elsewhere)
      }
      #expect(error?.code == .notFound)
      try await Store.makeHub(at: elsewhere)
      let joined = await #expect(throws: KeepsakeError.self) {
        try await mirrors.first.join(elsewhere)
      }
      #expect(joined?.code == .conflict)
      let wrong = await #expect(throws: KeepsakeError.self) {
        try await mirrors.first.sync(with: elsewhere)
      }
      #expect(wrong?.cause as? HubFault == .another(try await Store.makeHub(at: elsewhere)))
      // A hub that was moved is found at its new address.
      let moved = mirrors.folder.url.appending(path: "Moved").path
      try FileManager.default.moveItem(atPath: mirrors.folder.path, toPath: moved)
      let gone = await #expect(throws: KeepsakeError.self) { try await mirrors.first.sync() }
      #expect(gone?.cause as? HubFault == .unreachable)
      try await mirrors.first.join(.folder(path: moved))
      #expect(try await mirrors.first.sync() == SyncReport())
    }
  }

  @Test(arguments: [
    "relative/folder", "file:relative", "https://example.com/hub", "s3://bucket/prefix", "",
  ])
  func `refuse what is no address`(text: String) {
    let error = #expect(throws: KeepsakeError.self) { try HubAddress(text) }
    #expect(error?.code == .invalid)
  }

  @Test func `read an address as it is told`() throws {
    for path in ["/shared/Hub", "/shared/With spaces/Ä", "/shared/100%"] {
      let address = try HubAddress(path)
      #expect(address.description.hasPrefix("file:///shared/"))
      #expect(try HubAddress(address.description).description == address.description)
    }
  }
}
