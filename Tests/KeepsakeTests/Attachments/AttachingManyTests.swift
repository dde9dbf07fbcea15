import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `Attaching several` {
  private func withSession(_ body: (Store, Session) async throws -> Void) async throws {
    // So that nothing else changes rows.
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      try await session.append(.prompt("look"))
      try await body(store, session)
      #expect(try incoming(in: store.url).isEmpty)
      #expect(store.handle.artifacts.helpers.withLock { $0 } == 0)
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  /// Bytes that no other number has, where there are eight or more.
  private func bytes(_ count: Int, _ number: Int) -> [UInt8] {
    (0..<min(8, count)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      + [UInt8](repeating: 7, count: max(0, count - 8))
  }

  private func large(_ numbers: Range<Int>) -> [Entry.NewAttachment] {
    numbers.map { .init(.bytes(bytes(200_000 + $0, $0)), label: "n\($0)") }
  }

  @Test(.disabled(if: SharedStores.areUsed, "There artifacts are kept before the change is tried."))
  func `of all kinds of sources gives them in order, with one commit`() async throws {
    try await withSession { store, session in
      let folder = try TestFolder()
      let file = folder.url.appending(path: "large")
      try Data(bytes(5_000_000, 1)).write(to: file)
      let folders = try IntakeFolders([folder.url])
      let known = try await session.attach(.init(.bytes(bytes(150_000, 2))), to: 0)
      let chunks = AsyncStream<[UInt8]> { stream in
        for number in 3..<6 { stream.yield(bytes(100_000, number)) }
        stream.finish()
      }
      let all: [(ArtifactSource, [UInt8])] = [
        (.chunks(chunks), bytes(100_000, 3) + bytes(100_000, 4) + bytes(100_000, 5)),
        (.bytes([1]), [1]), (.file(file), bytes(5_000_000, 1)),
        (.data(Data(bytes(300_000, 6))), bytes(300_000, 6)),
        (.artifact(try #require(known.artifact).id), bytes(150_000, 2)),
        (.base64(Data(bytes(400_000, 7)).base64EncodedString()), bytes(400_000, 7)),
        (try folders.source(named: file.path), bytes(5_000_000, 1)),
        (.data(Data(bytes(9_000_000, 8))), bytes(9_000_000, 8)), (.bytes([]), []),
      ]
      var new = all.enumerated().map { Entry.NewAttachment($1.0, label: "n\($0)") }
      new.insert(.awaited(reference: "later", madeBy: .source), at: 4)
      let commits = store.handle.database.writer?.statistics.commits
      let attached = try await session.attach(new, to: 0)
      #expect(store.handle.database.writer?.statistics.commits == commits.map { $0 + 1 })
      #expect(attached.map(\.position) == Array(repeating: 0, count: new.count))
      #expect(attached.map(\.state) == new.map(\.state))
      #expect(attached.map(\.recording) == attached.map(\.recording).sorted())
      for (attachment, item) in zip(attached.filter { $0.state == .present }, all.enumerated()) {
        #expect(attachment.label == "n\(item.offset)")
        #expect(try await attachment.data() == Data(item.element.1))
      }
      #expect(try await session.entry(at: 0).attachments == [known] + attached)
    }
  }

  @Test func `of nothing writes nothing`() async throws {
    try await withSession { store, session in
      let commits = store.handle.database.writer?.statistics.commits
      let attached = try await session.attach([])
      #expect(attached.isEmpty)
      #expect(store.handle.database.writer?.statistics.commits == commits)
    }
  }

  @Test(
    .disabled(if: SharedStores.areUsed, "There artifacts are kept before the change is tried."),
    arguments: [0, 3, 11])
  func `attaches none where one can't be taken in`(bad: Int) async throws {
    try await withSession { store, session in
      let folder = try TestFolder()
      let before = try DeletingTests.rows(store)
      var new = large(0..<12)
      for source in [
        ArtifactSource.file(folder.url.appending(path: "missing")), .file(folder.url),
        .base64("no base64!"), .artifact(Artifact.ID(SHA256.digest(of: [7]))),
        .chunks(Refusing()),
      ] {
        new[bad].source = source
        let wrong = new
        await #expect(throws: (any Error).self) { try await session.attach(wrong) }
        await #expect(throws: (any Error).self) {
          try await session.append(.response("no"), attaching: wrong)
        }
        #expect(try DeletingTests.rows(store) == before)
        #expect(try incoming(in: store.url).isEmpty)
      }
      // What is said of it is looked at before anything is taken in.
      new[bad] = .init(.bytes([1]), label: "")
      let wrong = new
      let unsaid = await keepsakeError { try await session.attach(wrong) }
      #expect(unsaid?.code == .invalid)
      let nowhere = await keepsakeError { try await session.attach(large(0..<3), to: 1) }
      #expect(nowhere?.code == .outOfRange)
      #expect(try DeletingTests.rows(store) == before)
      _ = try await store.sweep(olderThan: .zero)
    }
  }

  @Test func `the same bytes several times makes one artifact`() async throws {
    try await withSession { store, session in
      let folder = try TestFolder()
      let file = folder.url.appending(path: "large")
      try Data(bytes(1_000_000, 1)).write(to: file)
      let new = (0..<9).map { number in
        Entry.NewAttachment(
          number.isMultiple(of: 2) ? .file(file) : .bytes(bytes(1_000_000, 1)), label: "n\(number)")
      }
      let attached = try await session.attach(new)
      #expect(Set(attached.map(\.artifact?.id)).count == 1)
      let entry = try await session.append(.response("again"), attaching: new + new)
      #expect(entry.attachments.count == 18)
      #expect(try await store.verify().counts.artifacts == 1)
      #expect(try await store.sweep(olderThan: .zero) == Removal())
    }
  }

  @Test func `keeps what is complete though the caller was cancelled, and an append does not`()
    async throws
  {
    try await withSession { store, session in
      let new = large(0..<6)
      await #expect(throws: CancellationError.self) {
        try await cancelled { try await session.append(.response("never"), attaching: new) }
      }
      #expect(try incoming(in: store.url).isEmpty)
      #expect(try await session.count() == 1)
      let attached = try await cancelled { try await session.attach(new) }
      #expect(attached.map(\.label) == new.map(\.label))
    }
  }

  @Test func `reads what comes in chunks one after the other`() async throws {
    try await withSession { _, session in
      let log = Locked<[String]>([])
      let new = (0..<3).map { number in
        let left = Locked(3)
        return Entry.NewAttachment(
          .chunks(
            AsyncStream<[UInt8]> {
              let rest = left.withLock { left in
                left -= 1
                return left
              }
              log.withLock { $0.append("\(number)") }
              await Task.yield()
              return rest < 0 ? nil : [UInt8](repeating: 1, count: 100_000 + number)
            }))
      }
      try await session.attach(new + large(0..<4))
      #expect(log.withLock { $0.joined() } == "000011112222")
    }
  }

  @Test func `as many tasks do at once keeps all of it`() async throws {
    try await withSession { _, session in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask {
            // Each has one that all others have, too.
            let new = large(task * 4..<task * 4 + 4) + large(1000..<1001)
            let entry = try await session.append(.response("\(task)"), attaching: new)
            for (attachment, item) in zip(entry.attachments, new) {
              guard case .bytes(let bytes)? = item.source?.origin else { continue }
              #expect(try await attachment.data() == Data(bytes))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await session.attachments().count == 40)
    }
  }

  @Test func `a transcript with large texts and images is taken in as one`() async throws {
    try await withSession { store, session in
      let text = String(repeating: "Ein Satz. ", count: 120_000)
      let list = (0..<5).map { number in
        SourceEntry(.response("\(number) \(text)"), attaching: large(number * 3..<number * 3 + 3))
      }
      let other = try await store.createSession()
      try await other.save(list)
      let entries = try await other.entries.all()
      #expect(entries.map(\.text) == list.map(\.entry.text))
      #expect(
        entries.map { $0.attachments.map(\.label) } == list.map { $0.attachments.map(\.label) })
      let again = try await session.append(list.map { ($0.entry, $0.attachments) })
      #expect(again.flatMap { $0.attachments.map(\.artifact) }.count == 15)
    }
  }

  #if os(Linux)
    @Test(.enabled(if: SmallDisk.isPermitted, "this process may not mount a small disk"))
    func `on a full disk keeps none of them, and all when there is room`() async throws {
      let disk = try #require(try SmallDisk(megabytes: 12))
      let ballast = disk.url.appending(path: "ballast")
      try Data(count: 6_000_000).write(to: ballast)
      let store = try await Store(at: disk.url.appending(path: "Chats.keepsake"))
      let session = try await store.createSession()
      let new = (0..<8).map { Entry.NewAttachment(.bytes(bytes(1_000_000, $0))) }
      let room = try Self.room(on: disk)
      let error = await keepsakeError { try await session.attach(new) }
      #expect(error?.code == .diskFull)
      #expect(try incoming(in: store.url).isEmpty)
      #expect(try await session.attachments().isEmpty)
      try FileManager.default.removeItem(at: ballast)
      // A program that another test starts holds each open file for a moment, also one that was removed since.
      let deadline = Date() + 60
      while try Self.room(on: disk) < room + 5_500_000, Date() < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try Self.room(on: disk) >= room + 5_500_000)
      let attached = try await session.attach(new)
      for (number, attachment) in attached.enumerated() {
        #expect(try await attachment.data() == Data(bytes(1_000_000, number)))
      }
      await store.close()
    }

    /// The number of bytes that can still be written to a disk.
    private static func room(on disk: SmallDisk) throws -> Int64 {
      let facts = try FileManager.default.attributesOfFileSystem(forPath: disk.url.path)
      return try #require(facts[.systemFreeSize] as? NSNumber).int64Value
    }
  #endif

  private struct Refusal: Error {}

  /// Some chunks, and then an error.
  private struct Refusing: AsyncSequence, AsyncIteratorProtocol {
    private var left = 3

    func makeAsyncIterator() -> Refusing { self }

    mutating func next() async throws -> [UInt8]? {
      left -= 1
      if left == 0 { throw Refusal() }
      return [UInt8](repeating: 1, count: 100_000)
    }
  }
}
