import KeepsakeFiles
import Foundation
import KeepsakeHubConformance
import Testing

@testable import Keepsake

@Suite struct `Opening a hub in a folder` {
  private let folder: HubFolder

  init() throws { folder = try HubFolder() }

  @Test func `makes one that has one id, whoever else makes it`() async throws {
    let folder = folder
    let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<8 { group.addTask { try await folder.open().identity.id } }
      return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    let id = try #require(ids.first)
    #expect(try await FolderHub.open(at: folder.path, expecting: id).identity.id == id)
    #expect(try HubFolder.files(folder.path) == ["hub.json"])
  }

  @Test func `finds nothing where nothing is`() async throws {
    await refuses(.notFound, .unreachable, "There is no hub at")
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    await refuses(.notFound, .unreachable, "There is no hub at")
    let parent = folder.path + "/missing/Hub"
    let error = await #expect(throws: KeepsakeError.self) {
      try await FolderHub.open(at: parent, making: true)
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains(parent) == true)
  }

  @Test func `refuses a folder with other things`() async throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: folder.path + "/.DS_Store"))
    await refuses(.notFound, .unreachable, "There is no hub at")
    try Data("mine".utf8).write(to: URL(filePath: folder.path + "/notes.txt"))
    await refuses(.refused, .notAHub, "is not a hub", making: true)
    #expect(try HubFolder.files(folder.path) == [".DS_Store", "notes.txt"])
    try FileManager.default.removeItem(atPath: folder.path)
    try Data("mine".utf8).write(to: URL(filePath: folder.path))
    await refuses(.refused, .notAHub, "is not a hub", making: true)
  }

  @Test func `refuses another hub, a newer one and a damaged one`() async throws {
    let id = try await folder.open().identity.id
    let file = URL(filePath: folder.path + "/hub.json")
    let wanted = UUID()
    let error = await #expect(throws: KeepsakeError.self) {
      try await FolderHub.open(at: folder.path, expecting: wanted)
    }
    #expect(error?.cause as? HubFault == .another(id))
    #expect(error?.message.contains("\(id)") == true)
    let bytes = try Data(contentsOf: file)
    try replace(
      file,
      CheckedLine.encoded {
        $0.member("format", 2)
        $0.member("hub", "\(id)")
      })
    await refuses(.newerStore, .newer, "newer version")
    try replace(file, Array(bytes.dropLast(3)))
    await refuses(.damaged, .damaged(session: nil), "hub.json")
    try replace(file, [])
    await refuses(.damaged, .damaged(session: nil), "hub.json")
    let version = VersionFile(
      HubOffer(session: UUID(), base: nil, stamp: UUID(), bytes: []), version: 1, hub: id)
    try replace(file, version.line)
    await refuses(.damaged, .damaged(session: nil), "hub.json")
    try replace(file, Array(bytes))
    _ = try await FolderHub.open(at: folder.path).push(UUID())
    try FileManager.default.removeItem(at: file)
    await refuses(.damaged, .damaged(session: nil), "is gone", making: true)
  }

  @Test func `refuses a folder in which a name is taken twice`() async throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let root = try Directory(path: folder.path)
    var conditions = FolderConditions(path: folder.path)
    try conditions.prove(in: root)
    conditions.begin = { name, content, folder in
      {
        try folder.createDurably(name, contents: content)
        return true
      }
    }
    let twice = #expect(throws: KeepsakeError.self) { try conditions.prove(in: root) }
    #expect(twice?.cause as? HubFault == .unconditional)
    #expect(twice?.message.contains("taken twice") == true)
    #expect(twice?.message.contains("Choose a folder") == true)
    // All look before any of them takes the name.
    let looking = Locked(0)
    conditions.begin = { name, content, folder in
      {
        let isFree = try !folder.exists(name)
        if name == "race" {
          looking.withLock { $0 += 1 }
          while looking.withLock({ $0 < 8 }) { sched_yield() }
        }
        if isFree { try folder.createDurably(name, contents: content) }
        return isFree
      }
    }
    let race = #expect(throws: KeepsakeError.self) { try conditions.prove(in: root) }
    #expect(race?.message.contains("8 of 8 took one name at once") == true)
    // A creation that fails must not leave its bytes in place of the winner's.
    conditions.begin = { name, content, folder in
      {
        let isFree = try !folder.exists(name)
        try folder.createDurably(name, contents: content)
        return isFree
      }
    }
    let bytes = #expect(throws: KeepsakeError.self) { try conditions.prove(in: root) }
    #expect(bytes?.message.contains("other bytes") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a folder that went away is said to be gone`() async throws {
    let hub = try await folder.open()
    let session = UUID()
    for _ in 0..<2 { _ = try await hub.push(session) }
    try FileManager.default.removeItem(
      atPath: folder.path + "/session/\(FolderHub.name(of: session))")
    let gone = try await hub.commit(HubOffer(session, on: UUID()))
    #expect(gone.failure?.cause as? HubFault == .damaged(session: session))
    #expect(gone.failure?.message.contains("its folder is gone") == true)
    try FileManager.default.removeItem(atPath: folder.path)
    let answer = try await hub.commit(HubOffer(UUID(), on: nil))
    #expect(answer.failure?.cause as? HubFault == .unreachable)
    let put = await #expect(throws: KeepsakeError.self) { try await hub.put([1]) }
    #expect(put?.cause as? HubFault == .unreachable)
  }

  @Test func `a folder that was moved away takes nothing, until it is back`() async throws {
    let hub = try await folder.open()
    let session = UUID()
    let stamp = try await hub.push(session).stamp
    let elsewhere = folder.path + "-elsewhere"
    try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    try await refuses(hub, session, after: stamp, .notFound, "There is no hub at")
    try FileManager.default.copyItem(atPath: elsewhere, toPath: folder.path)
    try await refuses(hub, session, after: stamp, .conflict, "was replaced while it was open")
    try FileManager.default.removeItem(atPath: folder.path)
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path)
    #expect(try await hub.directory().heads.map(\.version) == [1])
    #expect(try await hub.commit(HubOffer(session, on: stamp)).version == 2)
    #expect(try await hub.artifacts(after: nil) == [])
    #expect(try await hub.notes(.peer) == [])
  }

  private func refuses(
    _ hub: FolderHub, _ session: UUID, after stamp: UUID, _ code: KeepsakeError.Code,
    _ words: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let artifact = Artifact.ID(SHA256.digest(of: [1]))
    let calls: [() async throws -> Void] = [
      { _ = try await hub.changes(after: nil) },
      { _ = try await hub.directory() },
      { _ = try await hub.directory(of: [session]) },
      { _ = try await hub.versions(of: session, after: 0, bytes: 1000) },
      { _ = try await hub.rewrite(1, of: session, stamp: stamp, as: [1]) },
      { _ = try await hub.missing(of: [artifact]) },
      { _ = try await hub.put([1]) },
      { try await hub.get(artifact) { _ in } },
      { _ = try await hub.artifacts(after: nil) },
      { try await hub.remove([artifact]) { [] } },
      { _ = try await hub.removeLeftovers() },
      { try await hub.leave("", as: .peer, session) },
      { _ = try await hub.notes(.peer) },
      { try await hub.removeNotes(.peer, [session]) },
    ]
    var errors = [try await hub.commit(HubOffer(session, on: stamp)).failure]
    for call in calls {
      errors.append(
        await #expect(throws: KeepsakeError.self, sourceLocation: location) { try await call() })
    }
    for error in errors {
      #expect(error?.code == code, sourceLocation: location)
      #expect(error?.cause as? HubFault == .unreachable, sourceLocation: location)
      #expect(error?.message.contains(words) == true, sourceLocation: location)
    }
  }

  private func replace(_ file: URL, _ bytes: [UInt8]) throws {
    try FileManager.default.removeItem(at: file)
    try Data(bytes).write(to: file)
  }

  private func refuses(
    _ code: KeepsakeError.Code, _ fault: HubFault, _ words: String, making: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: KeepsakeError.self, sourceLocation: location) {
      try await FolderHub.open(at: folder.path, making: making)
    }
    #expect(error?.code == code, sourceLocation: location)
    #expect(error?.cause as? HubFault == fault, sourceLocation: location)
    #expect(error?.message.contains(words) == true, sourceLocation: location)
    #expect(error?.message.contains(folder.path) == true, sourceLocation: location)
  }
}
