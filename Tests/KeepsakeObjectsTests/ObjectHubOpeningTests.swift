import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake
@testable import KeepsakeObjects

@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `Opening a hub in a bucket` {
  @Test func `makes one that has one id, whoever else makes it`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<4 {
        group.addTask { try await ObjectHub.open(server, at: address).identity.id }
      }
      return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    let store = try server.store(address)
    #expect(
      try await store.list(store.address.prefix).entries.map(\.key) == [
        store.address.prefix + "hub.json"
      ])
  }

  /// Requests to a bucket cost money, so observers of a store that shares its sessions cause fewer of them.
  @Test func `gives a hub at which observers look every five seconds`() async throws {
    let server = try S3Server.shared.get()
    let hub = try await ObjectHub.open(server, at: server.place())
    #expect(HubWatch.pause(of: hub) == .seconds(5))
    await hub.close()
  }

  @Test func `finds nothing where nothing is, and refuses other things`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    func refuses(
      _ code: KeepsakeError.Code, _ fault: HubFault, _ text: String, making: Bool = true,
      expecting id: UUID? = nil, _ location: SourceLocation = #_sourceLocation
    ) async {
      let error = await #expect(throws: KeepsakeError.self, sourceLocation: location) {
        try await ObjectHub.open(at: address, server.settings, expecting: id, making: making)
      }
      #expect(error?.code == code, sourceLocation: location)
      #expect(error?.cause as? HubFault == fault, sourceLocation: location)
      #expect(
        error?.message.contains(text) == true, "\(error?.message ?? "")", sourceLocation: location)
    }
    await refuses(.notFound, .unreachable, "There is no hub at", making: false)
    let store = try server.store(address)
    let keys = ObjectKeys(store.address)
    _ = try await store.put(keys.prefix + "notes/mine.txt", [1])
    await refuses(.refused, .notAHub, "is not a hub")
    try await store.delete(keys.prefix + "notes/mine.txt")
    let id = try await ObjectHub.open(server, at: address).identity.id
    let wanted = UUID()
    await refuses(.conflict, .another(id), "\(id)", expecting: wanted)
    let content = HubFile.content(id)
    _ = try await store.put(
      keys.hub,
      CheckedLine.encoded {
        $0.member("format", 2)
        $0.member("hub", "\(id)")
      })
    await refuses(.newerStore, .newer, "newer version")
    for wrong in [Array(content.dropLast(3)), []] {
      _ = try await store.put(keys.hub, wrong)
      await refuses(.damaged, .damaged(session: nil), "hub.json")
    }
    _ = try await store.put(keys.hub, content)
    _ = try await ObjectHub.open(server, at: address, expecting: id).push(UUID())
    try await store.delete(keys.hub)
    await refuses(.damaged, .damaged(session: nil), "is gone")
  }

  @Test func `a copied peer becomes one of its own, and old entries go`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let peer = HubPeer()
    let one = try await ObjectHub.open(server, at: address, peer: peer)
    let copy = try await ObjectHub.open(server, at: address, peer: peer)
    let reader = try await ObjectHub.open(server, at: address)
    let mark = try await reader.changes(after: nil).mark
    let (first, second) = (UUID(), UUID())
    _ = try await one.push(first)
    #expect(one.peer == HubPeer(id: peer.id, next: 2))
    _ = try await copy.push(second)
    #expect(copy.peer.id != peer.id && copy.peer.next == 2)
    let changes = try await reader.changes(after: mark)
    #expect(changes.sessions == [first: 1, second: 1])
    #expect(!changes.mayHaveMissed)
    // A store that kept how far it was goes on under its name, and takes old entries away.
    let late = try await ObjectHub.open(
      server, at: address, peer: HubPeer(id: peer.id, next: 1280))
    _ = try await late.push(first)
    #expect(late.peer == HubPeer(id: peer.id, next: 1281))
    let left = try await late.store.list(late.keys.feed("\(peer.id)"))
    #expect(left.entries.map(\.key) == [late.keys.entry(1280, of: "\(peer.id)")])
    let missed = try await reader.changes(after: changes.mark)
    #expect(missed.mayHaveMissed && missed.sessions == [first: 2])
    let none = try await reader.changes(after: missed.mark)
    #expect(!none.mayHaveMissed && none.sessions.isEmpty)
  }
}
