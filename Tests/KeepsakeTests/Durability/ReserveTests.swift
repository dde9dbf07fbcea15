#if os(Linux)
  import KeepsakeFiles
  import Foundation
  import Testing

  @testable import Keepsake

  /// A real disk with little room, filled by somebody who appends until nothing more fits.
  @Suite struct `Room that is kept for deleting` {
    private static let reason: Comment = "this process may not mount a small disk"
    /// What fits into the database, and of which each number has its own.
    private static let template = [UInt8](repeating: 7, count: 120_000)

    private static func bytes(_ number: Int) -> [UInt8] {
      var bytes = template
      for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
      return bytes
    }

    private func reserve(_ store: URL) -> URL { store.appending(path: "reserve") }

    private func reserveSize(_ store: URL) throws -> Int? { try size(of: "reserve", in: store) }

    private func size(of file: String, in store: URL) throws -> Int? {
      let path = store.appending(path: file).path
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }

    /// Appends until it is refused; gives the number of the next one.
    private func fill(
      _ sessions: [Session], from start: Int, atMost limit: Int = 1000
    ) async throws -> Int {
      for number in start..<(start + limit) {
        let bytes = (0..<16).map { Self.bytes(number * 16 + $0) }
        do {
          try await sessions[number % sessions.count].append(
            .response("number \(number)"),
            attaching: bytes.map { .init(.bytes($0), madeBy: .response) })
        } catch let error as KeepsakeError where error.code == .diskFull { return number }
      }
      return start + limit
    }

    @Test(.enabled(if: SmallDisk.isPermitted, reason), arguments: [true, false])
    func `lets a person delete, sweep and compact on a full disk, and go on`(isKept: Bool)
      async throws
    {
      let disk = try #require(try SmallDisk(megabytes: 120))
      let place = disk.url.appending(path: "Chats.keepsake")
      var store = try await Store(at: place, options: .withoutIndexing)
      var kept = try await store.createSession(title: "kept")
      try await kept.append(.prompt("kept"), attaching: [.init(.bytes(Self.bytes(-1)))])
      var sessions: [Session] = []
      for number in 0..<3 { sessions.append(try await store.createSession(title: "\(number)")) }
      #expect(try reserveSize(place) == nil)
      var count = try await fill(sessions, from: 0, atMost: 36)
      #expect(count == 36)
      await store.close()
      // Really there: a file that only says so would be of no use.
      #expect(try reserveSize(place) == Int(Reserve.size))
      let blocks = try reserve(place).resourceValues(forKeys: [.fileAllocatedSizeKey])
      #expect(blocks.fileAllocatedSize ?? 0 >= Int(Reserve.size))

      store = try await Store(at: place, options: .withoutIndexing)
      kept = try await store.session(kept.id)
      for index in sessions.indices {
        sessions[index] = try await store.session(sessions[index].id)
      }
      count = try await fill(sessions, from: count)
      try SmallDisk.fill(disk.url.appending(path: "ballast"))
      // What little fits into the log all the same.
      var refused: KeepsakeError?
      let more = String(repeating: "0123456789", count: 2000)
      while refused == nil {
        do { try await kept.append(.event(more)) } catch let error as KeepsakeError {
          refused = error
        }
      }
      #expect(refused?.code == .diskFull)
      #expect(try await sessions[0].count() + sessions[1].count() + sessions[2].count() == count)

      guard isKept else {
        // Without it the disk stays full: so it is what helps.
        try FileManager.default.removeItem(at: reserve(place))
        try SmallDisk.fill(disk.url.appending(path: "more ballast"))
        let refused = await keepsakeError { try await store.deleteSession(sessions[0].id) }
        #expect(refused?.code == .diskFull)
        return await store.close()
      }
      for session in sessions { try await store.deleteSession(session.id) }
      try await store.sweep(olderThan: .zero)
      let health = try await store.health()
      #expect(health.reserveBytes == Reserve.size)
      #expect(health.isWorthCompacting)
      // New entries use what is free in the database.
      try await kept.append(.event("goes on"))
      #expect(try await store.compact() > 70_000_000)
      #expect(try await store.health().databaseBytes < 2_000_000)
      _ = try await fill([kept], from: 10_000, atMost: 10)
      let first = try await kept.entry(at: 0)
      #expect(try await first.attachments.first?.data() == Data(Self.bytes(-1)))
      try await DeletingTests.isSound(store)
      await store.close()
    }

    /// While the log is empty, no part of a deletion finds room in it.
    @Test(.enabled(if: SmallDisk.isPermitted, reason))
    func `lets a person delete on a disk that was filled while the log was empty`()
      async throws
    {
      let disk = try #require(try SmallDisk(megabytes: 120))
      let place = disk.url.appending(path: "Chats.keepsake")
      var store = try await Store(at: place, options: .withoutIndexing)
      let large = try await store.createSession(title: "large")
      #expect(try await fill([large], from: 0, atMost: 36) == 36)
      // The artifact has no file, so that removing it frees no room outside of the database.
      let small = try await store.createSession(title: "small")
      try await small.append(.prompt("small"), attaching: [.init(.bytes(Self.bytes(-1)))])
      await store.close()
      #expect(try reserveSize(place) == Int(Reserve.size))

      store = try await Store(at: place, options: .withoutIndexing)
      #expect(try await store.handle.cutLog())
      #expect(try size(of: "store.sqlite-wal", in: place) == 0)
      try SmallDisk.fill(disk.url.appending(path: "ballast"))
      let removed = try await store.deleteSession(small.id)
      #expect(removed.sessions == 1 && removed.artifacts == 1)
      #expect(removed.isComplete)
      #expect(try await store.health().reserveBytes == Reserve.size)
      try await DeletingTests.isSound(store)
      await store.close()
    }
  }
#endif
