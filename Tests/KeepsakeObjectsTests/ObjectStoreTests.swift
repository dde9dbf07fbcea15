import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakeObjects

@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `A client of an object store` {
  @Test func `writes, reads, lists and removes objects with any name`() async throws {
    let server = try S3Server.shared.get()
    let store = try server.store(server.place() + "/ä b")
    let prefix = store.address.prefix
    let names = ["a b+c/ü%25'(1)*.txt", "a b+c/x&y=<z>\".txt", "a b+c/~:@!$,;?#[]", "plain"].sorted
    {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    for name in names {
      guard case .written = try await store.put(prefix + name, Array(name.utf8)) else {
        Issue.record("\(name) was not written")
        continue
      }
      let found = try #require(try await store.get(prefix + name, count: 1000))
      #expect(found.bytes == Array(name.utf8))
      #expect(try await store.head(prefix + name)?.size == Int64(name.utf8.count))
    }
    #expect(try await store.list(prefix).entries.map(\.key) == names.map { prefix + $0 })
    let folders = try await store.list(prefix, delimiter: "/")
    #expect(folders.prefixes == [prefix + "a b+c/"])
    #expect(folders.entries.map(\.key) == [prefix + "plain"])
    // Pages, and a beginning in the middle.
    var pages: [[String]] = []
    try await store.listAll(prefix, after: prefix + names[0], limit: 1) { page in
      pages.append(page.entries.map(\.key))
      return true
    }
    #expect(pages.joined().map(\.self) == names.dropFirst().map { prefix + $0 })
    for name in names { try await store.delete(prefix + name) }
    try await store.delete(prefix + "nothing")
    #expect(try await store.list(prefix).entries.isEmpty)
    #expect(try await store.get(prefix + "plain", count: 10) == nil)
    #expect(try await store.head(prefix + "plain") == nil)
  }

  @Test func `reads parts, and writes under conditions`() async throws {
    let server = try S3Server.shared.get()
    let store = try server.store(server.place())
    let key = store.address.prefix + "object"
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    guard case .written(let etag) = try await store.put(key, bytes, if: .absent) else {
      Issue.record("the object was not written")
      return
    }
    #expect(try await store.put(key, [1], if: .absent) == .refused)
    for (start, count) in [(0, 1), (0, 1000), (0, 5000), (999, 1), (500, 5000), (17, 100)] {
      let part = try #require(try await store.get(key, from: Int64(start), count: count))
      #expect(part.bytes == Array(bytes[start..<min(1000, start + count)]))
      #expect(part.size == 1000 && part.etag == etag)
    }
    #expect(try await store.get(key, from: 1000, count: 10)?.bytes == [])
    let tag = try #require(etag)
    guard case .written(let newer?) = try await store.put(key, [], if: .matches(tag)) else {
      Issue.record("the object was not replaced")
      return
    }
    #expect(try await store.put(key, [2], if: .matches(tag)) == .refused)
    #expect(newer != tag)
    #expect(try await store.get(key, count: 10)?.bytes == [])
    #expect(try await store.get(key, count: 10)?.size == 0)
    let missing = try server.store("s3://no-such-bucket-here/x")
    let error = await #expect(throws: KeepsakeError.self) { try await missing.put("x/y", [1]) }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("Make the bucket") == true)
  }

  @Test func `what a killed store sent of an artifact is found and removed once it is old`()
    async throws
  {
    let server = try S3Server.shared.get()
    let address = server.place()
    let hub = try await ObjectHub.open(server, at: address)
    // Some servers answer to what follows as if they failed, which a store sends again until its patience ends.
    var patience = ObjectPatience()
    patience.total = .seconds(1)
    let store = try ObjectStore(ObjectAddress(address), server.settings, patience: patience)
    let artifact = Artifact.ID(SHA256.digest(of: [1]))
    var parts = try await store.begin(hub.keys.artifact(artifact))
    try await store.add([UInt8](repeating: 1, count: 100_000), to: &parts)
    #expect(try await hub.leftovers(olderThan: .seconds(3600), removing: true) == Abandoned())
    var left = Abandoned()
    (left.count, left.bytes) = (1, 100_000)
    #expect(try await hub.leftovers(olderThan: .zero, removing: false) == left)
    #expect(try await hub.leftovers(olderThan: .zero, removing: true) == left)
    #expect(try await hub.leftovers(olderThan: .zero, removing: true) == Abandoned())
    // A store that was slow, and not killed, has to begin again.
    await #expect(throws: KeepsakeError.self) { try await store.finish(parts) }
    #expect(try await hub.missing(of: [artifact]) == [artifact])
    await hub.close()
  }

  @Test func `a large artifact goes in parts, and not at all when its bytes are wrong`()
    async throws
  {
    let server = try S3Server.shared.get()
    let hub = try await ObjectHub.open(server, at: server.place())
    var random = SeededGenerator(seed: 5)
    let piece = Payload.bytes(1 << 20, using: &random)
    let count = 66
    var hash = SHA256()
    for _ in 0..<count { hash.update(piece) }
    hash.update([1, 2, 3])
    let id = Artifact.ID(hash.finalize())
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await hub.put(id) { take in
        for _ in 0..<count { try take(piece) }
        throw Stop()
      }
    }
    let wrong = await #expect(throws: KeepsakeError.self) {
      try await hub.put(id) { take in for _ in 0..<count { try take(piece) } }
    }
    #expect(wrong?.code == .artifactDamaged)
    #expect(try await hub.missing(of: [id]) == [id])
    try await hub.put(id) { take in
      for _ in 0..<count { try take(piece) }
      try take([1, 2, 3])
    }
    let size = Locked(0)
    try await hub.get(id) { bytes in size.withLock { $0 += bytes.count } }
    #expect(size.withLock { $0 } == count << 20 + 3)
    await hub.close()
  }
}
