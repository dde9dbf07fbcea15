import Foundation
import KeepsakeHubConformance
import Testing

@testable import Keepsake

@Suite struct `The feed of a hub in a folder` {
  private let folder: HubFolder

  init() throws { folder = try HubFolder() }

  @Test func `a copied peer becomes one of its own`() async throws {
    let peer = HubPeer()
    _ = try await folder.open()
    let one = try await FolderHub.open(at: folder.path, peer: peer)
    let copy = try await FolderHub.open(at: folder.path, peer: peer)
    let reader = try await folder.open()
    let mark = try await reader.changes(after: nil).mark
    let (first, second) = (UUID(), UUID())
    _ = try await one.push(first)
    #expect(one.peer == HubPeer(id: peer.id, next: 2))
    _ = try await copy.push(second)
    #expect(copy.peer.id != peer.id)
    #expect(copy.peer.next == 2)
    let changes = try await reader.changes(after: mark)
    #expect(changes.sessions == [first: 1, second: 1])
    #expect(!changes.mayHaveMissed)
    // A store that kept how far it was goes on under its name.
    await one.close()
    let again = try await FolderHub.open(at: folder.path, peer: one.peer)
    _ = try await again.push(first)
    #expect(again.peer == HubPeer(id: peer.id, next: 3))
    #expect(try await reader.changes(after: changes.mark).sessions == [first: 2])
  }

  @Test func `whoever was away for long is told to read the directory`() async throws {
    let hub = try await folder.open()
    let session = UUID()
    _ = try await hub.push(session)
    let mark = try await hub.changes(after: nil).mark
    let place = folder.path + "/feed/\(hub.peer.id.uuidString.lowercased())/"
    let entry = try Data(contentsOf: URL(filePath: place + VersionFile.padded(1)))
    for number in 2..<1280 {
      try entry.write(to: URL(filePath: place + VersionFile.padded(Int64(number))))
    }
    hub.setPeer(HubPeer(id: hub.peer.id, next: 1280))
    _ = try await hub.push(session)
    #expect(hub.peer.next == 1281)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place).count == 1025)
    let changes = try await hub.changes(after: mark)
    #expect(changes.mayHaveMissed)
    #expect(changes.sessions == [session: 2])
    let none = try await hub.changes(after: changes.mark)
    #expect(!none.mayHaveMissed && none.sessions.isEmpty)
  }

  @Test func `an entry without its end is waited for, and passed over when others follow`()
    async throws
  {
    let hub = try await folder.open()
    let reader = try await folder.open()
    let mark = try await reader.changes(after: nil).mark
    let (first, second, third) = (UUID(), UUID(), UUID())
    _ = try await hub.push(first)
    _ = try await hub.push(second)
    let place = folder.path + "/feed/\(hub.peer.id.uuidString.lowercased())/"
    let entry = place + VersionFile.padded(2)
    let bytes = try Data(contentsOf: URL(filePath: entry))
    try FileManager.default.removeItem(atPath: entry)
    try bytes.dropLast(2).write(to: URL(filePath: entry))
    let half = try await reader.changes(after: mark)
    #expect(half.sessions == [first: 1] && !half.mayHaveMissed)
    _ = try await hub.push(third)
    let changes = try await reader.changes(after: half.mark)
    #expect(changes.sessions == [third: 1] && changes.mayHaveMissed)
    #expect(try await reader.changes(after: changes.mark).sessions.isEmpty)
  }
}
