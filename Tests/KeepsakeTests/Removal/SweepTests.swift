import Foundation
import KeepsakeFiles
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Sweeping")
struct SweepTests {
  private func write(_ path: String, _ bytes: [UInt8] = [1], in store: Store) throws -> URL {
    let file = store.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file
  }

  private func isThere(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

  @Test func `what a crash left goes, and what is used stays`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      let kept = try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
      let copy = try await kept.fileURL()
      let hex = SHA256.digest(of: [7]).hex
      let gone = [
        try write("artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))", in: store),
        try write(
          "incoming/" + IncomingFile.newName(owner: UUID()), [1, 2, 3, 4], in: store),
        try write("incoming/alive-\(UUID().uuidString.lowercased())", [], in: store),
        try write("cache/\(hex.prefix(16))/a.png", in: store),
        copy.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)"),
      ]
      try Data([1]).write(to: gone[4])
      let foreign = [
        try write("artifacts/README", in: store),
        try write("incoming/\(UUID().uuidString.lowercased())", in: store),
      ]
      // Of what is young, what provably belongs to nobody: a copy of nothing, and the sign of life of a dead process.
      #expect(try await store.sweepPreview().strayFiles == 2)
      #expect(try await store.sweep().strayFiles == 2)
      #expect(gone.map(isThere) == [true, true, false, false, true])
      let preview = try await store.sweepPreview(olderThan: .zero)
      #expect(gone.map(isThere) == [true, true, false, false, true])
      let removed = try await store.sweep(olderThan: .zero)
      #expect(removed == preview)
      #expect(removed.strayFiles == 3)
      #expect(removed.strayBytes == 6)
      #expect(removed.isComplete)
      #expect(gone.filter(isThere).isEmpty)
      #expect(foreign.allSatisfy(isThere))
      #expect(isThere(copy))
      #expect(try await kept.data().count == DeletingTests.large.count)
      #expect(try await store.sweep(olderThan: .zero) == Removal())
    }
  }

  @Test func `what an open store is still writing stays`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let (chunks, feed) = AsyncStream.makeStream(of: [UInt8].self)
      let attaching = Task {
        try await session.attach(.init(.chunks(chunks), madeBy: .user))
      }
      feed.yield(DeletingTests.large)
      let incoming = store.url.appending(path: "incoming").path
      while try FileManager.default.contentsOfDirectory(atPath: incoming).count < 2 {
        await Task.yield()
      }
      // Another store object, as in another process, sweeps.
      let other = try Store(
        path: store.url.path, options: .init(), registry: StoreRegistry())
      #expect(try await other.sweep(olderThan: .zero).strayFiles == 0)
      feed.yield([1])
      feed.finish()
      #expect(try await attaching.value.data().count == DeletingTests.large.count + 1)
      await other.close()
    }
  }

  /// A store that fills its index of search reads meanwhile, and on a busy machine the log can't be cut in time then.
  @Test func `an artifact without a use goes`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      try await session.attach(.init(.bytes([2]), madeBy: .user))
      for bytes in [[1], DeletingTests.large] {
        let prepared = try await store.handle.artifacts.prepare(.bytes(bytes))
        try await store.handle.write { change in
          _ = try store.handle.artifacts.keep(prepared, handle: store.handle, in: change)
        }
      }
      #expect(try await store.sweep().artifacts == 0)
      let preview = try await store.sweepPreview(olderThan: .zero)
      #expect(preview.artifacts == 2)
      let removed = try await store.sweep(olderThan: .zero)
      #expect(removed == preview)
      #expect(removed.artifactBytes == Int64(DeletingTests.large.count) + 1)
      #expect(try DeletingTests.files(store).isEmpty)
      #expect(try DeletingTests.rows(store)["artifact"] == 1)
    }
  }

  @Test func `a backup keeps the files of what is deleted meanwhile`() async throws {
    var options = Store.Options(patience: .milliseconds(50))
    options.searchDelay = nil
    try await withTemporaryStore(options: options) { store in
      let session = try await store.createSession()
      try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
      let backup = try FileLock(path: store.handle.layout.sweepLockPath)
      #expect(try backup.tryLock(.shared))
      let removed = try await store.deleteSession(session.id)
      #expect(removed.artifacts == 1)
      #expect(!removed.isComplete)
      #expect(try DeletingTests.files(store).count == 1)
      let error = await #expect(throws: KeepsakeError.self) { try await store.sweep() }
      #expect(error?.code == .locked)
      try backup.unlock()
      #expect(try await store.sweep(olderThan: .zero).strayFiles == 1)
      #expect(try DeletingTests.files(store).isEmpty)
    }
  }

  /// Of a size at which SQLite uses a temporary file, which is what most of it is told by.
  @Test func `compacting tells how far it is, and never goes back`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      for part in 0..<4 {
        try await session.attach(
          (0..<100).map { number in
            .init(.bytes([UInt8(part), UInt8(number)] + [UInt8](repeating: 7, count: 100_000)))
          })
      }
      let told = Locked<[Double]>([])
      try await store.compact { fraction in told.withLock { $0.append(fraction) } }
      let fractions = told.withLock { $0 }
      #expect(fractions.count > 4)
      #expect(fractions.last == 1)
      #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 })
      #expect(fractions.contains { 0.2 < $0 && $0 < 0.8 })
    }
  }

  @Test func `compacting gives the space back`() async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      for index in 0..<100 {
        try await session.append(.prompt(String(repeating: "\(index) ", count: 20_000)))
      }
      let kept = try await store.createSession()
      let image = try await kept.attach(.init(.bytes([1, 2]), madeBy: .user))
      try await kept.append(.prompt("kept"))
      try await store.deleteSession(session.id)
      #expect(try await store.compact() > 3_000_000)
      let size = try #require(try store.handle.layout.folder.status("store.sqlite")?.size)
      #expect(size < 500_000)
      #expect(try await image.data() == Data([1, 2]))
      try await kept.append(.response("and goes on"))
      #expect(try await store.search("kept").hits.count == 1)
      try await DeletingTests.isSound(store)
    }
  }

  @Test func `a file that was attached again before its turn came stays`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let image = try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
      let digest = try #require(image.artifact?.id.digest)
      let copy = try await image.fileURL()
      // What a deletion, or a sweep, found unused a moment ago.
      #expect(try await store.handle.removeFiles(of: [digest]))
      #expect(try DeletingTests.files(store).count == 1)
      #expect(isThere(copy))
      #expect(try await image.data() == Data(DeletingTests.large))
    }
  }

  /// Two stores on one folder, as two processes have them. Both attach and delete the same few artifacts, so that almost
  /// every one of them is removed while somebody attaches it again, and both sweep all the while.
  @Test(.timeLimit(.minutes(60)))
  func `nothing that is attached is ever lost to a sweep`() async throws {
    try await withTemporaryStore { store in
      let other = try Store(path: store.url.path, options: .init(), registry: StoreRegistry())
      let images = (0..<2).map { index in
        [UInt8](repeating: UInt8(index), count: Artifact.inlineLimit + 1 + index)
      }
      let attaching = Locked(6)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<6 {
          let mine = task % 2 == 0 ? store : other
          group.addTask {
            defer { attaching.withLock { $0 -= 1 } }
            for round in 0..<25 {
              let session = try await mine.createSession()
              let image = images[(task + round) % images.count]
              let attached = try await session.attach(.init(.bytes(image), madeBy: .user))
              #expect(try await attached.data() == Data(image))
              let another = images[round % images.count]
              let appended = try await session.append(
                .prompt("x"), attaching: [.init(.bytes(another), madeBy: .user)])
              #expect(try await appended.attachments[0].data() == Data(another))
              // The last one stays, so that something is there to be looked at in the end.
              if round < 24 { try await mine.deleteSession(session.id) }
            }
          }
        }
        for mine in [store, other] {
          group.addTask {
            while attaching.withLock({ $0 > 0 }) { try await mine.sweep(olderThan: .zero) }
          }
        }
        try await group.waitForAll()
      }
      try await DeletingTests.isSound(store)
      let sessions = try await store.sessions().sessions
      #expect(sessions.count == 6)
      for summary in sessions {
        for attachment in try await store.session(summary.id).attachments() {
          #expect(try await attachment.data().count > Artifact.inlineLimit)
        }
        try await other.deleteSession(summary.id)
      }
      try await store.sweep(olderThan: .zero)
      #expect(try DeletingTests.files(store).isEmpty)
      await other.close()
    }
  }
}
