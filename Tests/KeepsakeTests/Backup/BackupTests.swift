import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite("A backup")
struct BackupTests {
  private static let large = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

  /// A folder for backups, removed afterwards.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "backups-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func fill(_ store: Store) async throws -> Session {
    let session = try await store.createSession(title: "Fruit")
    try await session.append(.prompt("give me a banana"))
    try await session.attach(.init(.bytes(Self.large), madeBy: .user))
    try await session.attach(.init(.bytes([1, 2, 3]), madeBy: .user))
    return session
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `is a store with the same chains, artifacts and search`() async throws {
    try await withTemporaryStore { store in
      let session = try await fill(store)
      _ = try await session.fork(before: 1)
      try await withFolder { folder in
        let place = folder.appending(path: "a.keepsake")
        let phases = Locked<Set<BackupProgress.Phase>>([])
        let backup = try await store.backup(to: place) { progress in
          #expect(progress.done <= progress.total)
          phases.withLock { _ = $0.insert(progress.phase) }
        }
        #expect(backup.report.isSound && backup.report.counts.artifacts == 2)
        #expect(backup.bytes > Self.large.count)
        #expect(phases.withLock { $0 } == Set(BackupProgress.Phase.allCases))
        #expect(try names(folder) == ["a.keepsake"])
        let copy = try await Store(at: place)
        #expect(try await copy.verify().heads == store.verify().heads)
        let again = try await copy.session(session.id)
        #expect(try await again.attachments().first?.data() == Data(Self.large))
        #expect(try await copy.search("banana").hits.count == 1)
        try await again.append(.response("here"))
        #expect(try await session.entries.all().count == 1)
        await copy.close()
      }
    }
  }

  @Test func `is of one moment, though others write all the time`() async throws {
    try await withTemporaryStore { store in
      let session = try await fill(store)
      let isOver = Locked(false)
      let count = Locked(0)
      let writing = Task {
        while !isOver.withLock({ $0 }) {
          try await session.append([.prompt("more"), .response("and more")])
          count.withLock { $0 += 1 }
        }
      }
      try await withFolder { folder in
        for name in ["a", "b", "c"] {
          let before = count.withLock { $0 }
          while count.withLock({ $0 }) == before { await Task.yield() }
          let backup = try await store.backup(to: folder.appending(path: name))
          #expect(backup.report.isSound, "\(backup.report.findings)")
          // A pair is appended as one: half of it would be half a moment.
          #expect(backup.report.counts.entries % 2 == 1)
        }
      }
      isOver.withLock { $0 = true }
      try await writing.value
    }
  }

  @Test func `of a store that is open for reading changes no byte of it`() async throws {
    try await withTemporaryStore { store in
      _ = try await fill(store)
      await store.close()
      let before = try names(store.url)
      let reading = try await Store(at: store.url, options: .readOnly)
      try await withFolder { folder in
        let backup = try await reading.backup(to: folder.appending(path: "a"))
        #expect(backup.report.isSound)
      }
      await reading.close()
      #expect(try names(store.url) == before)
    }
  }

  @Test func `of a damaged store says what is damaged, and has the rest`() async throws {
    try await withTemporaryStore { store in
      let session = try await fill(store)
      let hex = SHA256.digest(of: Self.large).hex
      let file = store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let handle = try FileHandle(forWritingTo: file)
      try handle.write(contentsOf: Data([9]))
      try handle.close()
      try await withFolder { folder in
        let backup = try await store.backup(to: folder.appending(path: "a"))
        #expect(!backup.report.isSound)
        #expect(backup.report.findings.contains { $0.object.contains(hex) })
        let copy = try await Store(at: backup.url, options: .readOnly)
        #expect(try await copy.session(session.id).entries.all().count == 1)
        await copy.close()
      }
    }
  }

  @Test func `replaces nothing, and leaves nothing when it is stopped or refused`() async throws {
    try await withTemporaryStore { store in
      _ = try await fill(store)
      try await withFolder { folder in
        let taken = folder.appending(path: "taken")
        try Data("mine".utf8).write(to: taken)
        let error = await #expect(throws: KeepsakeError.self) {
          _ = try await store.backup(to: taken)
        }
        #expect(error?.code == .conflict)
        let nowhere = await #expect(throws: KeepsakeError.self) {
          _ = try await store.backup(to: folder.appending(path: "no/where"))
        }
        #expect(nowhere?.code == .notFound)
        await #expect(throws: CancellationError.self) {
          try await cancelled {
            _ = try await store.backup(to: folder.appending(path: "stopped"))
          }
        }
        #expect(try names(folder) == ["taken"])
        #expect(try Data(contentsOf: taken) == Data("mine".utf8))
      }
    }
  }

  @Test func `waits for an erasure, and says so when it takes too long`() async throws {
    try await withTemporaryStore(options: .init(patience: .milliseconds(50))) { store in
      _ = try await fill(store)
      let lock = try FileLock(path: store.url.path + "/sweep.lock")
      #expect(try lock.tryLock(.exclusive))
      try await withFolder { folder in
        let error = await #expect(throws: KeepsakeError.self) {
          _ = try await store.backup(to: folder.appending(path: "a"))
        }
        #expect(error?.code == .locked)
        try lock.unlock()
        #expect(try await store.backup(to: folder.appending(path: "a")).report.isSound)
      }
    }
  }
}
