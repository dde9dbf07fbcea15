import Foundation
import Testing

@testable import KeepsakeFiles
@testable import Keepsake

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A store's own files as what is to be taken in, or replaced.
@Suite struct `A file of a store` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  static let own = [
    "store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.lock", "queue.lock",
  ]

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  /// A store with a log, an index of the log, and a large artifact.
  private func withOpenStore<Result>(
    _ body: (Store, Session) async throws -> Result
  ) async throws -> Result {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try await session.append(.prompt("look"))
    try await session.attach(.init(.bytes([UInt8](repeating: 7, count: 300_000))))
    #expect(try await session.count() == 1)
    #expect(try areLocksHeld())
    let result = try await body(store, session)
    #expect(try await store.verify(.init(database: .full, readData: true)).isSound)
    await store.close()
    return result
  }

  /// Tells whether this process has the locks that SQLite holds as long as a store is open: on its database, and on its log's index.
  private func areLocksHeld() throws -> Bool {
    // Linux gives its list of locks in pieces. If other threads take or release locks between two pieces, a piece may begin too late and
    // leave out a lock that is held. A lock that was lost is in no list.
    for _ in 0..<20 { if try areLocksListed() { return true } }
    return false
  }

  private func areLocksListed() throws -> Bool {
    #if os(Linux)
      let list = try FileDescriptor(opening: "/proc/locks").readAll(limit: 1 << 20)
      let lines = String(decoding: list, as: UTF8.self).split(separator: "\n")
      return try ["store.sqlite", "store.sqlite-shm"].allSatisfy { name in
        let status = try #require(FileStatus(path: folder.store.path + "/" + name))
        return lines.contains { line in
          let fields = line.split(separator: " ")
          return fields.count > 7 && fields[1] == "POSIX" && fields[3] == "READ"
            && fields[4] == "\(getpid())" && fields[5].hasSuffix(":\(status.inode)")
        }
      }
    #else
      return true
    #endif
  }

  @Test(arguments: own)
  func `is not attached while its store is open, under any name`(name: String) async throws {
    let file = folder.store.appending(path: name)
    let link = folder.url.appending(path: "link")
    let second = folder.url.appending(path: "second")
    let linkedFolder = folder.url.appending(path: "linked")
    try await withOpenStore { store, session in
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      try FileManager.default.linkItem(at: file, to: second)
      try FileManager.default.createSymbolicLink(
        at: linkedFolder, withDestinationURL: folder.store)
      var ways = [file, link, linkedFolder.appending(path: name)]
      // A lock file is only told by where it is.
      if name.hasPrefix("store.sqlite") { ways.append(second) }
      for way in ways {
        let error = await keepsakeError { try await session.attach(.init(.file(way))) }
        #expect(error?.code == .refused, "\(way.path)")
        #expect(error?.message.contains("a file of the store at") == true)
        #expect(try areLocksHeld(), "\(way.path)")
      }
      let folders = try IntakeFolders([folder.url, folder.store])
      let named = [file.path, "file://" + file.path] + (ways.count > 3 ? [second.path] : [])
      for way in named {
        let error = await keepsakeError { try folders.source(named: way) }
        #expect(error?.code == .refused, "\(way)")
      }
      #expect(try areLocksHeld())
      #expect(try await session.attachments().count == 1)
      try FileManager.default.removeItem(at: second)
    }
  }

  @Test(arguments: own)
  func `is not attached to another store either, by its place, while its own is not open`(
    name: String
  ) async throws {
    try await withOpenStore { _, _ in }
    let other = try await Store(at: folder.url.appending(path: "Other.keepsake"))
    let session = try await other.createSession()
    let error = await keepsakeError {
      try await session.attach(.init(.file(folder.store.appending(path: name))))
    }
    #expect(error?.code == .refused)
    #expect(error?.remedy == .backUp)
    #expect(error?.message.hasSuffix("to copy a store, back it up.") == true)
    await other.close()
  }

  @Test func `that is an artifact, or a copy of one, is read like any other`() async throws {
    try await withOpenStore { store, session in
      let attachment = try #require(try await session.attachments().first)
      let copy = try await attachment.fileURL()
      let hex = try #require(attachment.artifact).id.hex
      let kept = folder.store.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      for file in [copy, kept] {
        let again = try await session.attach(.init(.file(file)))
        #expect(again.artifact == attachment.artifact)
      }
    }
  }

  @Test func `named store.sqlite in a folder of another program is a file like any other`()
    async throws
  {
    let file = folder.url.appending(path: "store.sqlite")
    try Data("mine".utf8).write(to: file)
    try await withOpenStore { _, session in
      let kept = try await session.attach(.init(.file(file)))
      #expect(try await kept.data() == Data("mine".utf8))
    }
  }

  @Test func `that comes into the place of another meanwhile costs no lock`() async throws {
    #if os(Linux)
      try await withOpenStore { store, session in
        let index = folder.store.appending(path: "store.sqlite-shm").path
        let harmless = path("harmless")
        try Data("harmless".utf8).write(to: URL(filePath: harmless))
        let swapper = Swapper(harmless, index, at: path("swapped"))
        defer { swapper.end() }
        var refused = 0
        for _ in 0..<3000 {
          do throws(FileError) { _ = try FileDescriptor(opening: path("swapped")) } catch {
            #expect(error.code == .guarded || error.code == .notFound, "\(error)")
            refused += 1
          }
        }
        #expect(refused > 0)
        #expect(try areLocksHeld())
      }
    #endif
  }

  @Test func `can't be in the way of what is written: nothing is made inside of a store`()
    async throws
  {
    try await withOpenStore { store, _ in
      let before = try FileManager.default.subpathsOfDirectory(atPath: folder.store.path)
      for place in ["Copy.keepsake", "artifacts/Copy.keepsake", "incoming/../cache/x"] {
        let url = folder.store.appending(path: place)
        #expect(await keepsakeError { try await store.backup(to: url) }?.code != nil)
        #expect(await keepsakeError { try await Store(at: url) }?.code != nil)
      }
      let error = await keepsakeError {
        try await store.backup(to: folder.store.appending(path: "artifacts/Copy.keepsake"))
      }
      #expect(error?.code == .refused)
      #expect(error?.message.contains("inside of the store") == true)
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.store.path) == before)
    }
  }
}

/// A thread that puts one file and then the other in a place, until it is ended.
private final class Swapper: Sendable {
  private let isOver: Locked<Bool>
  private let thread: WorkerThread

  init(_ first: String, _ second: String, at path: String) {
    let isOver = Locked(false)
    self.isOver = isOver
    thread = WorkerThread(name: "swapper") {
      let spare = path + ".spare"
      while !isOver.withLock({ $0 }) {
        for file in [first, second] where link(file, spare) == 0 { rename(spare, path) }
      }
      unlink(path)
    }
  }

  func end() {
    isOver.withLock { $0 = true }
    thread.join()
  }
}
