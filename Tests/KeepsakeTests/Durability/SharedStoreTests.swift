import Foundation
import Testing

@testable import Keepsake

/// Who else has the store, in this process and in others.
@Suite struct `A store that others have too` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `names the process that holds its lock for too long`() async throws {
    let store = try await Store(at: folder.store, options: .init(patience: .milliseconds(200)))
    let session = try await store.createSession()
    do {
      let other = try OtherProgram.locking(folder.store.appending(path: "store.lock"))
      let error = await keepsakeError { try await session.append(.prompt("now?")) }
      #expect(error?.code == .locked)
      #expect(error?.message.contains("process \(other.pid)") == true, "\(error?.message ?? "")")
      #expect(try await session.count() == 0, "reading does not wait")
    }
    // Ended, and so out of the way.
    try await session.append(.prompt("now!"))
    #expect(try await session.count() == 1)
    await store.close()
  }

  @Test(.timeLimit(.minutes(60)))
  func `is written past a process that was stopped while it waited`() async throws {
    let store = try await Store(at: folder.store, options: .init(patience: .seconds(36_000)))
    let session = try await store.createSession()
    let other = try OtherProgram.locking(folder.store.appending(path: "queue.lock"))
    kill(other.pid, SIGSTOP)
    for number in 0..<5 { try await session.append(.prompt("\(number)")) }
    #expect(try await session.count() == 5)
    kill(other.pid, SIGCONT)
    await store.close()
  }

  @Test func `is open once in a process, however many handles there are`() async throws {
    let first = try await Store(at: folder.store)
    let other = folder.url.appending(path: "Link.keepsake")
    try FileManager.default.createSymbolicLink(at: other, withDestinationURL: folder.store)
    let second = try await Store(at: other)
    #expect(first.handle.store === second.handle.store)
    let session = try await first.createSession()
    try await session.append(.prompt("by the first's session"))
    await first.close()
    #expect(try await second.session(session.id).count() == 1)
    await second.close()
    let third = try await Store(at: folder.store)
    #expect(try await third.session(session.id).count() == 1)
    await third.close()
  }

  @Test func `may be opened and closed by many at once`() async throws {
    let place = folder.store
    try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let store = try await Store(at: place)
          let session = try await store.createSession()
          try await session.append(.prompt("mine"))
          await store.close()
          return session.id
        }
      }
      var made: Set<UUID> = []
      for try await id in group { made.insert(id) }
      let store = try await Store(at: place)
      #expect(Set(try await store.sessions().sessions.map(\.id)) == made)
      await store.close()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
  }
}

@Suite struct `A store that was closed` {
  @Test func `says so to every call`() async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let small = try await session.attach(.init(.bytes([1, 2, 3])))
    let large = try await session.attach(.init(.bytes([UInt8](repeating: 7, count: 300_000))))
    await store.close()
    await store.close()

    await expectClosed { try await store.createSession() }
    await expectClosed { try await store.sessions() }
    await expectClosed { try await store.session(session.id) }
    await expectClosed { try await session.append(.prompt("late")) }
    await expectClosed {
      try await session.attach(.init(.bytes([UInt8](repeating: 8, count: 300_000))))
    }
    await expectClosed { try await session.entries.all() }
    await expectClosed { try await session.entries(last: 1) }
    await expectClosed { try await session.count() }
    await expectClosed { try await small.data() }
    await expectClosed { try await large.data() }
    await expectClosed { try await large.fileURL() }
    await expectClosed { for try await _ in try large.chunks() {} }
  }

  private func expectClosed<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
  ) async {
    let error = await keepsakeError(sourceLocation: sourceLocation, body)
    #expect(error?.code == .closed, sourceLocation: sourceLocation)
    #expect(error?.message.contains("Open it again") == true, sourceLocation: sourceLocation)
  }
}
