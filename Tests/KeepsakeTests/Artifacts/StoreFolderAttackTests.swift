import Foundation
import Keepsake
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The attacks by somebody who can put things into a store's folder, each by its number.
@Suite("Attacks on a store's folder")
final class StoreFolderAttackTests {
  private let folder: TestFolder
  private let elsewhere: URL

  init() throws {
    folder = try TestFolder()
    elsewhere = folder.url.appending(path: "elsewhere")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
  }

  private static let large = [UInt8](repeating: 9, count: 300_000)

  private func makeStore() async throws -> UUID {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try await session.append(.prompt("look"))
    try await session.attach(.init(.bytes(Self.large)))
    await store.close()
    return session.id
  }

  /// Opens the store, reads and writes it; what it says where that is refused.
  private func use(_ id: UUID) async -> (any Error)? {
    do {
      let store = try await Store(at: folder.store)
      do {
        let session = try await store.session(id)
        let first = try await session.attachments().first
        let bytes = try await #require(first).data()
        #expect(Array(bytes) == Self.large)
        try await session.append(.event("more"))
        try await session.attach(.init(.bytes([UInt8](repeating: 8, count: 400_000))))
      } catch {
        await store.close()
        return error
      }
      await store.close()
      return nil
    } catch { return error }
  }

  private func names(_ url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  @Test(arguments: ["artifacts", "incoming", "artifacts/*"])
  func `D5: a folder of the store that leads elsewhere is refused, and nothing is put there`(
    name: String
  ) async throws {
    let id = try await makeStore()
    let shard = try #require(try names(folder.store.appending(path: "artifacts")).first)
    let place = folder.store.appending(path: name.replacing("*", with: shard))
    let moved = folder.url.appending(path: "moved")
    try FileManager.default.moveItem(at: place, to: moved)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: elsewhere)
    #expect(await use(id) != nil)
    #expect(try names(elsewhere).isEmpty)
    // The artifact's own folder, too, is not reached by way of a link.
    try FileManager.default.removeItem(at: place)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: moved)
    if name != "incoming" { #expect(await use(id) != nil) }
    try FileManager.default.removeItem(at: place)
    try FileManager.default.moveItem(at: moved, to: place)
    #expect(await use(id) == nil)
  }

  @Test(arguments: [
    "store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.lock", "queue.lock",
    "sweep.lock",
  ])
  func `D5: a file of the store that leads elsewhere is never written through`(name: String)
    async throws
  {
    let id = try await makeStore()
    let victim = elsewhere.appending(path: "victim")
    let place = folder.store.appending(path: name)
    let contents = Data(repeating: 0x41, count: 40_000)
    for isSecondName in [false, true] {
      try contents.write(to: victim)
      let moved = folder.url.appending(path: "moved")
      let isThere = FileManager.default.fileExists(atPath: place.path)
      if isThere { try FileManager.default.moveItem(at: place, to: moved) }
      if isSecondName {
        try FileManager.default.linkItem(at: victim, to: place)
      } else {
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: victim)
      }
      let error = await use(id)
      // A log or an index with a second name is SQLite's to take or to leave; a link nobody follows.
      if !isSecondName, name != "sweep.lock" { #expect(error != nil, "\(name)") }
      if !name.hasPrefix("store.sqlite-") || !isSecondName {
        #expect(try Data(contentsOf: victim) == contents, "\(name)")
      }
      try FileManager.default.removeItem(at: place)
      if isThere { try FileManager.default.moveItem(at: moved, to: place) }
      #expect(await use(id) == nil, "\(name)")
      try FileManager.default.removeItem(at: victim)
    }
  }

  /// SQLite takes a log whose checksums are right for its own. Whoever can plant one could as well replace the database: it
  /// is the heads, kept elsewhere, that tell.
  @Test func `D5: a log of another store that somebody planted is told by heads that were kept`()
    async throws
  {
    _ = try await makeStore()
    let store = try await Store(at: folder.store)
    let heads = try await store.verify().heads
    #expect(heads.count == 1)
    await store.close()
    let other = folder.url.appending(path: "Other.keepsake")
    let planted = try await Store(at: other)
    for number in 0..<50 {
      try await planted.createSession(title: "planted").append(.prompt("planted \(number)"))
    }
    let theirs = folder.url.appending(path: "log")
    try FileManager.default.copyItem(at: other.appending(path: "store.sqlite-wal"), to: theirs)
    await planted.close()
    let checkpoint = try OtherProgram(
      "/usr/bin/env",
      [
        "sqlite3", folder.store.appending(path: "store.sqlite").path,
        "PRAGMA wal_checkpoint(TRUNCATE)",
      ])
    #expect(checkpoint.succeeds())
    try? FileManager.default.removeItem(at: folder.store.appending(path: "store.sqlite-shm"))
    let log = folder.store.appending(path: "store.sqlite-wal")
    try? FileManager.default.removeItem(at: log)
    try FileManager.default.copyItem(at: theirs, to: log)
    do {
      let opened = try await Store(at: folder.store)
      let report = try await opened.verify(.init(database: .full, heads: heads))
      await opened.close()
      #expect(!report.isSound)
    } catch is KeepsakeError {}
  }
}
