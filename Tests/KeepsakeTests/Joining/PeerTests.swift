import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// Tests of a hub's list of the stores that use it.
@Suite struct `Stores that meet at a hub` {
  private func peers(_ store: Store) async throws -> [HubStanding.Peer] {
    try await store.standing().peers
  }

  /// The names of the stores that may still have what was erased.
  private func behind(_ store: Store) async throws -> Set<String> {
    Set(try await peers(store).filter(\.isBehindErasing).map(\.name))
  }

  /// Makes a hub, and stores with the names "0", "1" and so on.
  private func meet(_ count: Int, _ body: (Mirrors) async throws -> Void) async throws {
    try await Mirrors.make(count, joining: false) { mirrors in
      for (index, store) in mirrors.stores.enumerated() {
        try await store.join(mirrors.address, named: "\(index)")
      }
      try await body(mirrors)
    }
  }

  @Test func `are listed with their names, and what they lack is counted`() async throws {
    try await meet(2) { mirrors in
      #expect(try await mirrors.first.standing() == HubStanding(newer: 0, peers: []))
      _ = try await mirrors.first.createSession(title: "Ships")
      _ = try await mirrors.first.createSession(title: "Boats")
      try await mirrors.first.sync()
      let standing = try await mirrors.second.standing()
      #expect(standing.newer == 2)
      #expect(standing.peers.map(\.name) == ["0"])
      #expect(!standing.peers[0].isThisStore && standing.peers[0].way == .mirror)
      #expect(abs(standing.peers[0].seen.timeIntervalSinceNow) < 600)
      try await mirrors.second.sync()
      #expect(try await mirrors.second.standing().newer == 0)
      let all = try await peers(mirrors.second)
      #expect(Set(all.map(\.name)) == ["0", "1"])
      #expect(all.filter(\.isThisStore).map(\.name) == ["1"])
      #expect(try await mirrors.second.membership()?.peer == all.first(where: \.isThisStore)?.id)
      #expect(all.allSatisfy { !$0.isBehindErasing })
      // A store that joins again can take another name. A store that was given no name has the name of its machine.
      try await mirrors.first.join(mirrors.address, named: "laptop")
      try await mirrors.first.sync()
      #expect(Set(try await peers(mirrors.second).map(\.name)) == ["laptop", "1"])
      let unnamed = try await Store.temporary(options: .withoutIndexing)
      let joined = try await unnamed.join(mirrors.address)
      #expect(joined.name == HostName.short)
      try await unnamed.sync()
      #expect(try await peers(mirrors.first).contains { $0.name == joined.name })
      try await unnamed.removeTemporary()
      for name in ["", String(repeating: "a", count: 201)] {
        let error = await #expect(throws: KeepsakeError.self) {
          try await mirrors.first.join(mirrors.address, named: name)
        }
        #expect(error?.code == .invalid)
      }
    }
  }

  @Test func `are told apart by whether they have seen what was erased`() async throws {
    try await meet(3) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("a secret"))
      let doomed = try await mirrors.first.createSession()
      try await mirrors.sync()
      #expect(try await behind(mirrors.first) == [])
      try await session.erase(0)
      #expect(try await behind(mirrors.first) == [], "the hub has it still")
      try await mirrors.first.sync()
      #expect(try await behind(mirrors.first) == ["1", "2"])
      try await mirrors.second.sync()
      #expect(try await behind(mirrors.first) == ["2"])
      try await mirrors.second.deleteSession(doomed.id)
      try await mirrors.second.sync()
      #expect(try await behind(mirrors.first) == ["0", "2"])
      try await mirrors.stores[2].sync()
      #expect(try await behind(mirrors.first) == ["0"])
      try await mirrors.first.sync()
      #expect(try await behind(mirrors.first) == [])
      // The hub keeps a single erasing note after two erasings, because each store removes the earlier note that it has seen.
      #expect(try await mirrors.folder.open().notes(.erasing).count == 1)
    }
  }

  /// A hub at which another store erases something whenever this one commits.
  private struct ErasingHub: ForwardingHub {
    let hub: any Hub

    func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
      try await hub.leave("erased", as: .erasing, UUID())
      return try await hub.commit(offers)
    }
  }

  @Test func `have not seen what was erased while they synced`() async throws {
    try await meet(2) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("a secret"))
      try await mirrors.sync()
      try await session.erase(0)
      let address = HubAddress(mirrors.address.description) {
        ErasingHub(hub: try await mirrors.address.open($0))
      }
      try await mirrors.first.sync(with: address)
      #expect(try await behind(mirrors.first) == ["0", "1"])
      try await mirrors.first.sync()
      #expect(try await behind(mirrors.first) == ["1"])
    }
  }

  @Test func `have not seen what they could not take over`() async throws {
    try await meet(2) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("a secret"))
      try await mirrors.sync()
      try await session.erase(0)
      try await mirrors.first.sync()
      let file =
        "\(mirrors.folder.path)/session/\(FolderHub.name(of: session.id))/\(VersionFile.name(2))"
      let bytes = try Data(contentsOf: URL(filePath: file))
      var wrong = bytes
      wrong[wrong.count - 1] ^= 1
      try FileManager.default.removeItem(atPath: file)
      try wrong.write(to: URL(filePath: file))
      let report = try await mirrors.second.sync()
      #expect(!report.failed.isEmpty || !report.aside.isEmpty)
      #expect(try await behind(mirrors.second) == ["1"])
      try FileManager.default.removeItem(atPath: file)
      try bytes.write(to: URL(filePath: file))
      try await mirrors.second.sync()
      #expect(try await behind(mirrors.second) == [])
    }
  }

  @Test func `are forgotten, and on the list again when they come back`() async throws {
    try await meet(2) { mirrors in
      try await mirrors.sync()
      let lost = try #require(try await peers(mirrors.first).first { $0.name == "1" })
      try await Store.forgetPeer(lost.id, ofHubAt: mirrors.address)
      #expect(try await peers(mirrors.first).map(\.name) == ["0"])
      _ = try await mirrors.second.createSession()
      try await mirrors.first.deleteSession(mirrors.first.createSession().id)
      try await mirrors.second.join(mirrors.address, named: "found again")
      try await mirrors.second.sync()
      #expect(Set(try await peers(mirrors.first).map(\.name)) == ["0", "found again"])
    }
  }

  /// A hub that counts the notes that are left.
  private struct CountingHub: ForwardingHub {
    let hub: any Hub
    let count: Locked<Int>

    func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
      count.withLock { $0 += 1 }
      try await hub.leave(text, as: kind, id)
    }
  }

  @Test func `leave no note again for an hour that says the same`() async throws {
    let (count, time) = (Locked(0), Locked(Date(timeIntervalSince1970: 1_800_000_000)))
    let options = Store.Options(now: { time.withLock { $0 } })
    try await Mirrors.make(1, options: options) { mirrors in
      let address = HubAddress(mirrors.address.description) {
        CountingHub(hub: try await mirrors.address.open($0), count: count)
      }
      for minutes in [0, 1, 30] {
        time.withLock { $0 += Double(minutes) * 60 }
        _ = try await mirrors.first.createSession()
        try await mirrors.first.sync(with: address)
      }
      #expect(count.withLock { $0 } == 1)
      time.withLock { $0 += 3600 }
      try await mirrors.first.sync(with: address)
      #expect(count.withLock { $0 } == 2)
      // A clock that was set back stops no note.
      time.withLock { $0 -= 7200 }
      try await mirrors.first.sync(with: address)
      #expect(count.withLock { $0 } == 3)
      try await mirrors.first.join(mirrors.address, named: "another name")
      try await mirrors.first.sync(with: address)
      #expect(count.withLock { $0 } == 4)
    }
  }

  @Test func `may share its sessions`() async throws {
    try await Sharers.make { sharers in
      let all = try await peers(sharers.second)
      #expect(all.count == 2 && all.allSatisfy { $0.way == .shared && !$0.isBehindErasing })
      #expect(all.filter(\.isThisStore).count == 1)
      #expect(try await sharers.second.standing().newer == nil)
      let session = try await sharers.first.createSession()
      try await session.append(.prompt("a secret"))
      try await session.erase(0)
      let behind = try await peers(sharers.first).filter(\.isBehindErasing)
      #expect(behind.map(\.isThisStore) == [false])
      try await sharers.second.handle.refreshAll()
      #expect(try await peers(sharers.first).allSatisfy { !$0.isBehindErasing })
    }
  }

  @Test func `and share its sessions go off the list with a sweep if they stay away`() async throws
  {
    try await meet(1) { mirrors in
      try await mirrors.first.sync()
      let hub = try await mirrors.folder.open()
      let (gone, away) = (UUID(), UUID())
      let note = PeerNote(name: "a cache", isShared: true, erasings: [])
      for id in [gone, away] { try await hub.leave(note.text, as: .peer, id) }
      func age(_ id: String, days: Double) throws {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
          ofItemAtPath: "\(mirrors.folder.path)/note/peer-\(id)")
      }
      let own = try #require(try await mirrors.first.membership()?.peer)
      try age("\(gone)", days: 31)
      try age("\(away)", days: 29)
      // A store that mirrors the hub has all of it, however long it stays away.
      try age("\(own)", days: 900)
      let preview = try await Store.sweepHub(at: mirrors.address, isPreview: true)
      #expect(preview.stores == 1)
      #expect(try await peers(mirrors.first).count == 3)
      #expect(try await Store.sweepHub(at: mirrors.address) == preview)
      #expect(try await peers(mirrors.first).map(\.id) == [away, own])
    }
  }

  @Test func `are not read from notes that are none`() async throws {
    try await meet(1) { mirrors in
      let hub = try await mirrors.folder.open()
      for text in ["", "{", "[]", "{\"name\":1,\"shared\":true,\"erasings\":[]}", "\u{0}"] {
        try await hub.leave(text, as: .peer, UUID())
      }
      let note = PeerNote(name: "a \"b\"\n\u{7}", isShared: true, erasings: [UUID(), UUID()])
      #expect(PeerNote(text: note.text) == note)
      try await hub.leave(note.text, as: .peer, UUID())
      // A store's note may name erasing notes that the hub has no more.
      #expect(try await peers(mirrors.first).map(\.name) == [note.name])
      #expect(try await behind(mirrors.first) == [])
      let strange = "\(mirrors.folder.path)/note/peer-\(UUID())"
      try FileManager.default.createDirectory(atPath: strange, withIntermediateDirectories: true)
      #expect(try await peers(mirrors.first).count == 1)
    }
  }
}
