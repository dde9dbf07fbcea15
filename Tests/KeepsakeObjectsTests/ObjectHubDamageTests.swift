import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakeObjects

/// Objects of a hub that others flip, cut, grow, exchange, copy and remove.
@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `A hub in a bucket whose objects were altered` {
  @Test(arguments: 0..<4) func `gives no wrong byte, and goes on with the other sessions`(
    _ part: Int
  ) async throws {
    try await Slots.shared.run {
      let server = try S3Server.shared.get()
      let known = try await KnownHub(server)
      for number in 0..<6 {
        let seed = UInt64(part * 1000 + number)
        var random = SeededGenerator(seed: seed)
        let damage = try Damage(of: known, using: &random)
        try await known.check(damage, "seed \(seed): \(damage.what)")
      }
    }
  }

  @Test func `tells a gap from the end`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let hub = try await ObjectHub.open(server, at: address, freshness: .zero)
    let store = try server.store(address)
    let session = UUID()
    for _ in 0..<6 { _ = try await hub.push(session) }
    let log = try await hub.soundLog(session)
    try await store.delete(hub.keys.version(4, of: session))
    let other = try await ObjectHub.open(server, at: address)
    let read = await #expect(throws: KeepsakeError.self) { try await other.log(session) }
    #expect(read?.code == .damaged)
    #expect(read?.message.contains("version 4 is gone") == true)
    let answer = try await other.commit(HubOffer(session, on: log[2].stamp))
    #expect(answer.failure?.cause as? HubFault == .damaged(session: session))
    #expect(try await other.directory().failures.keys.map(\.self) == [session])
    let sound = UUID()
    let stamp = try await other.push(sound).stamp
    let some = try await other.directory(of: [session, sound])
    #expect(some.failures.keys.map(\.self) == [session])
    #expect(some.heads == [HubHead(session: sound, version: 1, stamp: stamp)])
    // Nothing is built on what stands behind a gap either.
    let behind = try await ObjectHub.open(server, at: address)
    let built = try await behind.commit(HubOffer(session, on: log[5].stamp))
    #expect(built.failure?.message.contains("version 4 is gone") == true)
    // A hub object that was open sees that a version which it knew is gone.
    try await store.delete(hub.keys.version(6, of: session))
    let next = try await hub.commit(HubOffer(session, on: log[5].stamp))
    #expect(next.failure?.message.contains("version 6 is gone") == true)
    #expect(try await hub.commit(HubOffer(UUID(), on: nil)).version == 1)
  }

  @Test func `sees a bucket that was set back`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let hub = try await ObjectHub.open(server, at: address, freshness: .zero)
    let second = try await ObjectHub.open(server, at: address, freshness: .zero)
    let store = try server.store(address)
    let session = UUID()
    for _ in 0..<4 { _ = try await hub.push(session) }
    let log = try await hub.soundLog(session)
    #expect(try await second.soundLog(session) == log)
    for version in [3, 4] as [Int64] {
      try await store.delete(hub.keys.version(version, of: session))
    }
    // Another store, which knows of nothing, goes on from what is there.
    let other = try await ObjectHub.open(server, at: address)
    for _ in 0..<2 { _ = try await other.push(session) }
    let now = try await other.soundLog(session)
    #expect(now.map(\.version) == [1, 2, 3, 4])
    #expect(now.map(\.stamp)[..<2] == log.map(\.stamp)[..<2])
    // The numbers are those that were seen, and the stamps are not: neither hub object builds on what was.
    let answer = try await hub.commit(HubOffer(session, on: log[3].stamp))
    #expect(answer.standing??.stamp == now[3].stamp)
    #expect(try await second.directory().heads.map(\.stamp) == [now[3].stamp])
    #expect(try await hub.log(session) == now)
  }

  @Test func `an artifact that was altered is put again`() async throws {
    let server = try S3Server.shared.get()
    let hub = try await ObjectHub.open(server, at: server.place())
    let bytes = Array("an artifact".utf8)
    let id = try await hub.put(bytes)
    for wrong in ["", "an artefact", "an artifact, and more"] {
      _ = try await hub.store.put(hub.keys.artifact(id), Array(wrong.utf8))
      let error = await #expect(throws: KeepsakeError.self) { try await hub.bytes(id) }
      #expect(error?.code == .artifactDamaged)
      _ = try await hub.put(bytes)
      #expect(try await hub.bytes(id) == bytes)
    }
  }
}

/// The content of a hub before anything is altered.
private struct KnownHub: Sendable {
  let server: S3Server
  let id: UUID
  private(set) var logs: [UUID: [HubVersion]] = [:]
  private(set) var artifacts: [Artifact.ID: [UInt8]] = [:]
  /// The objects by their keys below the place.
  private(set) var objects: [String: [UInt8]] = [:]

  init(_ server: S3Server) async throws {
    self.server = server
    let address = server.place()
    let hub = try await ObjectHub.open(server, at: address)
    id = hub.identity.id
    for bytes: [UInt8] in [[1], Array("two".utf8), Array(repeating: 3, count: 5000)] {
      artifacts[try await hub.put(bytes)] = bytes
    }
    for count in [5, 2, 1] {
      let session = UUID()
      for _ in 0..<count { _ = try await hub.push(session) }
      logs[session] = try await hub.soundLog(session)
    }
    let prefix = hub.keys.prefix
    var keys: [String] = []
    try await hub.store.listAll(prefix) { page in
      keys += page.entries.map(\.key)
      return true
    }
    for key in keys where !key.hasPrefix(hub.keys.feed) && !key.hasPrefix(hub.keys.proofs) {
      objects[String(key.dropFirst(prefix.count))] =
        try await hub.store.get(key, count: 1 << 20)?.bytes
    }
    await hub.close()
  }

  /// Writes the altered objects to a place of their own, and looks at them as a store does.
  func check(_ damage: Damage, _ what: String) async throws {
    let comment = Comment(rawValue: what)
    let address = server.place()
    let store = try server.store(address)
    _ = try await Abreast.map(Array(damage.objects)) { name, bytes in
      try await store.put(store.address.prefix + name, bytes)
    }
    defer { Task { await store.close() } }
    let hub: ObjectHub
    do { hub = try await ObjectHub.open(at: address, server.settings, expecting: id) } catch let
      error as KeepsakeError
    {
      #expect(damage.isHub, comment)
      #expect(error.cause is HubFault, comment)
      return
    }
    #expect(!damage.isHub, comment)
    let directory = try await hub.directory()
    for (session, log) in logs {
      let isTouched = damage.sessions.contains(session)
      let (read, failure) = await self.read(session, in: hub)
      #expect(read == Array(log.prefix(read.count)), comment)
      if let failure {
        #expect(isTouched, comment)
        #expect(failure.cause as? HubFault == .damaged(session: session), comment)
      } else if read.count < log.count {
        #expect(isTouched && damage.mayShorten, comment)
      }
      if let head = directory.heads.first(where: { $0.session == session }) {
        #expect(log[Int(head.version) - 1].stamp == head.stamp, comment)
        #expect(head.version == log.count || isTouched && damage.mayShorten, comment)
      } else {
        #expect(isTouched, comment)
        #expect(directory.failures[session] != nil || damage.mayShorten, comment)
      }
      let next = try await hub.commit(HubOffer(session, on: log.last?.stamp))
      if !isTouched { #expect(next.version == Int64(log.count + 1), comment) }
    }
    for (artifact, bytes) in artifacts {
      do { #expect(try await hub.bytes(artifact) == bytes, comment) } catch let error
        as KeepsakeError
      {
        #expect(damage.artifacts.contains(artifact), comment)
        #expect([.artifactDamaged, .artifactMissing].contains(error.code), comment)
      }
    }
    await hub.close()
  }

  private func read(_ session: UUID, in hub: ObjectHub) async -> ([HubVersion], KeepsakeError?) {
    var all: [HubVersion] = []
    while true {
      do {
        let part = try await hub.versions(of: session, after: all.last?.version ?? 0, bytes: 4000)
        all += part.versions
        guard part.hasMore else { return (all, nil) }
      } catch { return (all, error as? KeepsakeError) }
    }
  }
}

/// An alteration that somebody made to the objects of a hub.
private struct Damage: Sendable {
  private(set) var objects: [String: [UInt8]]
  private(set) var what = ""
  private(set) var sessions: Set<UUID> = []
  private(set) var artifacts: Set<Artifact.ID> = []
  private(set) var isHub = false
  /// Tells whether the end of a session may be gone, which only those can see who knew of it.
  private(set) var mayShorten = false

  init(of known: KnownHub, using random: inout SeededGenerator) throws {
    objects = known.objects
    let names = objects.keys.sorted()
    let name = try #require(names.randomElement(using: &random))
    let other = try #require(names.filter { $0 != name }.randomElement(using: &random))
    var bytes = try #require(objects[name])
    touch(name)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      what = "bit flipped at \(place) of \(name)"
      objects[name] = bytes
    case 2:
      let count = Int.random(in: 0..<bytes.count, using: &random)
      what = "\(name) cut to \(count)"
      objects[name] = Array(bytes.prefix(count))
    case 3:
      what = "\(name) grown"
      objects[name] = bytes + [0x0A]
    case 4:
      what = "\(name) and \(other) exchanged"
      touch(other)
      (objects[name], objects[other]) = (objects[other], objects[name])
    default:
      what = "\(name) removed"
      mayShorten = true
      objects[name] = nil
      // Without the object of the hub nothing is opened.
      isHub = name == HubFile.name
    }
  }

  private mutating func touch(_ name: String) {
    let parts = name.split(separator: "/").map(String.init)
    switch parts.first {
    case "session": if let session = UUID(uuidString: parts[1]) { sessions.insert(session) }
    case "artifact": if let id = Artifact.ID(parts[2]) { artifacts.insert(id) }
    default: isHub = true
    }
  }
}
