import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Deleting and taking over that were cut short: by a kill, at whatever step.
@Suite("What was cut short")
struct ClearingTests {
  private struct Stop: Error {}

  /// Reads a file, and tells before each record how many were read.
  private struct Watched: SourceReading {
    var reading: LineFormat
    var index = 0
    let watch: @Sendable (Int) throws -> Void

    mutating func next() throws -> SourceRecord? {
      try watch(index)
      index += 1
      return try reading.next()
    }
  }

  /// What a kill cut short.
  enum Kind: CaseIterable {
    case restoring, deleting
  }

  /// A session and a fork of it, with all that removing has to find.
  private static func family(_ store: Store) async throws -> [Session] {
    let session = try await store.createSession(title: "Parent", tags: ["a"])
    try await session.append((0..<140).map { .prompt("parent \($0)") })
    for position in stride(from: 0, to: 140, by: 20) {
      try await session.attach(.labelled("small \(position)"), to: position)
    }
    try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user), to: 3)
    try await session.revise(5, to: .prompt("revised"))
    let fork = try await session.fork(before: 100)
    try await fork.append((0..<140).map { .response("fork \($0)") })
    try await fork.attach(.labelled("on what it shares"), to: 7)
    return [session, fork]
  }

  private static func open(_ folder: URL, delay: Duration? = nil) throws -> Store {
    var options = Store.Options()
    options.searchDelay = delay
    return try Store(path: folder.path, options: options, registry: StoreRegistry())
  }

  /// A store's folder as the kill leaves it, beside a session that was there before, and what was cut short.
  private static func killed(_ kind: Kind, in folder: TestFolder) async throws -> (
    folder: URL, copy: RecordedCopy, texts: [[String]]
  ) {
    let source = try open(folder.url.appending(path: "Source.keepsake"))
    let family = try await family(source)
    let copy = try RecordedCopy(of: family)
    var texts: [[String]] = []
    for session in family { texts.append(try await session.texts()) }
    await source.close()

    let store = try open(folder.store)
    try await store.createSession(title: "Own").append(.prompt("mine"))
    let left = folder.url.appending(path: "Left.keepsake")
    switch kind {
    case .restoring:
      // By then a batch was written: all of the parent, and a part of the fork.
      let last = copy.records.count - 20
      await #expect(throws: Stop.self) {
        try await store.restoring(
          copy.watched { index in
            guard index == last else { return }
            try StoreFiles.copy(folder.store, to: left)
            throw Stop()
          })
      }
    case .deleting:
      _ = try await store.restoring(copy)
      try await store.indexForSearch()
      try await store.handle.write { change in
        for head in copy.manifest.sessions { _ = try Store.hide(head.session, in: change) }
      }
      try StoreFiles.copy(folder.store, to: left)
    }
    await store.close()
    return (left, copy, texts)
  }

  /// Does so many pieces of the clearing, and ends as a kill ends it; false when there was no more.
  private static func clear(_ store: Store, pieces: Int, rows: Int = 60) async throws -> Bool {
    let work = ClearingWork(store.handle.layout, rows: rows)
    let writer = try #require(store.handle.database.writer)
    for _ in 0..<pieces {
      guard try await writer.write({ try work.step(in: Change(WriteTables($0), now: Date.init)) })
      else { return false }
    }
    return true
  }

  @Test(arguments: Kind.allCases)
  func
    `G3: clearing up that is killed at whatever step goes on, and the same can be taken in again`(
      kind: Kind
    ) async throws
  {
    let folder = try TestFolder()
    let (left, copy, texts) = try await Self.killed(kind, in: folder)
    var seen: [URL] = []
    var hasMore = true
    while hasMore {
      let pieces = seen.count
      let url = folder.url.appending(path: "\(pieces).keepsake")
      try StoreFiles.copy(left, to: url)
      let store = try Self.open(url)
      hasMore = try await Self.clear(store, pieces: pieces)
      await store.close()
      let kept = folder.url.appending(path: "kept \(pieces).keepsake")
      try StoreFiles.copy(url, to: kept)
      seen.append(kept)

      let again = try Self.open(url)
      #expect(try await again.sessions().sessions.map(\.title) == ["Own"])
      let found = try await again.verify(.init(readData: true)).findings
      #expect(found.allSatisfy { $0.severity == .harmless }, "\(pieces): \(found)")
      let report = try await again.restoring(copy)
      #expect(report.sessions.map(\.new) == [true, true])
      for (head, expected) in zip(copy.manifest.sessions, texts) {
        #expect(try await again.session(head.session).texts() == expected, "\(pieces)")
      }
      #expect(try await again.verify(.init(readData: true)).isSound, "\(pieces)")
      await again.close()
    }
    #expect(seen.count > 7, "so many steps there were to be killed at")
    #expect(try OtherVerifier.statuses(seen) == seen.map { _ in 0 })
  }

  @Test(arguments: Kind.allCases)
  func `what is left goes once the store is opened for writing, and nobody has to ask`(kind: Kind)
    async throws
  {
    let folder = try TestFolder()
    let (left, _, _) = try await Self.killed(kind, in: folder)
    let store = try Self.open(left, delay: .milliseconds(1))
    try await expectCleared(store)
    #expect(try await store.verify(.init(readData: true)).findings == [])
    #expect(try DeletingTests.files(store).isEmpty)
    await store.close()
    #expect(try StoreFiles.holding("arent 1", in: left) == [])
  }

  /// Waits until nothing is left to be cleared up.
  private func expectCleared(
    _ store: Store, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let deadline = Instant.now.advanced(by: .seconds(120))
    while true {
      let rows = try DeletingTests.rows(store)
      let left = ["restoring", "removing", "removed_artifact", "trace"].filter { rows[$0] != 0 }
      if left.isEmpty { return }
      try #require(Instant.now < deadline, "\(left)", sourceLocation: location)
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test func `a process that does not stay does none of it`() async throws {
    let folder = try TestFolder()
    let (left, _, _) = try await Self.killed(.deleting, in: folder)
    let store = try Self.open(left, delay: .seconds(3600))
    let before = try DeletingTests.rows(store)
    try await store.createSession().append(.prompt("one more"))
    await store.close()
    let again = try Self.open(left)
    let after = try DeletingTests.rows(again)
    #expect(after["removing"] == 2)
    #expect(after["entry"] == (before["entry"] ?? 0) + 1)
    await again.close()
  }

  @Test func `the id of a session that is half removed can be given again`() async throws {
    let folder = try TestFolder()
    let (left, copy, _) = try await Self.killed(.deleting, in: folder)
    let store = try Self.open(left)
    // The parent's goes only when the fork's is gone.
    for head in copy.manifest.sessions {
      let session = try await store.createSession(title: "Again", id: head.session)
      try await session.append(.prompt("new"))
      #expect(try await session.texts() == ["new"])
    }
    #expect(try await store.verify().isSound)
    await store.close()
  }

  @Test func `an import that a kill cut short goes, piece by piece`() async throws {
    let folder = try TestFolder()
    let store = try Self.open(folder.store)
    let left = folder.url.appending(path: "Left.keepsake")
    let file = (0..<900).map { "\($0)|prompt|text \($0)\n" }.joined()
    let opened = Locked(0)
    let source = ForeignSource(format: "lines", name: "large") {
      let isSecond = opened.withLock {
        $0 += 1
        return $0 == 2
      }
      // Two batches are written by then: the third, of the 256 records before the 768th, may be.
      return Watched(reading: LineFormat(file)) { index in
        guard isSecond, index == 850 else { return }
        try StoreFiles.copy(folder.store, to: left)
        throw Stop()
      }
    }
    await #expect(throws: Stop.self) { try await store.importing(source) }
    await store.close()

    var pieces = 0
    var hasMore = true
    while hasMore {
      let url = folder.url.appending(path: "\(pieces).keepsake")
      try StoreFiles.copy(left, to: url)
      let store = try Self.open(url)
      hasMore = try await Self.clear(store, pieces: pieces, rows: 150)
      let found = try await store.verify(.init(readData: true)).findings
      #expect(found.allSatisfy { $0.severity == .harmless }, "\(pieces): \(found)")
      #expect(try await store.importing(LineFormat.source(file)).sessions.map(\.entries) == [900])
      #expect(try await store.verify(.init(readData: true)).isSound)
      if !hasMore {
        #expect(try DeletingTests.rows(store)["source"] == 1)
        #expect(try DeletingTests.rows(store)["source_piece"] == 900)
      }
      await store.close()
      pieces += 1
    }
    #expect(pieces > 7)
  }

  @Test func `one that was suspended, and given up by others, writes into nobody's session`()
    async throws
  {
    let folder = try TestFolder()
    let source = try Self.open(folder.url.appending(path: "Source.keepsake"))
    let copy = try RecordedCopy(of: try await Self.family(source))
    await source.close()
    let store = try Self.open(folder.store)
    let other = try Self.open(folder.store)
    let isSuspended = Monitor(false)
    let isCleared = Monitor(false)
    let restoring = Task {
      try await store.restoring(
        copy.watched { index in
          guard index == 270 else { return }
          store.handle.store.liveness.end()
          isSuspended.withLock { $0 = true }
          isSuspended.signal()
          isCleared.wait { $0 ? () : nil }
        })
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isSuspended.wait { $0 ? () : nil }
        continuation.resume()
      }
    }
    _ = try await other.handle.finishClearing()
    // It gets the number that one of those had.
    let new = try await other.createSession(title: "New")
    isCleared.withLock { $0 = true }
    isCleared.signal()
    let error = await #expect(throws: KeepsakeError.self) { try await restoring.value }
    #expect(error?.code == .locked)
    #expect(try await new.count() == 0)
    #expect(try await other.verify().findings == [])
    #expect(try DeletingTests.rows(other)["entry"] == 0)
    await store.close()
    await other.close()
  }

  @Test func `however large a session is, one transaction takes on no more than its room`()
    async throws
  {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      // Few rows of many bytes: bodies, and artifacts that are rows.
      for number in 0..<20 {
        try await session.append(.prompt(String(repeating: "\(number % 10)", count: 1_000_000)))
      }
      for number in 0..<200 {
        var bytes = [UInt8](repeating: 1, count: Artifact.inlineLimit)
        bytes[0] = UInt8(number)
        try await session.attach(.init(.bytes(bytes), madeBy: .user), to: 0)
      }
      let (id, number) = (session.id, session.number)
      try await store.handle.write { change in _ = try Store.hide(id, in: change) }
      var targets = [RemovalStep.Target.session(number)]
      var steps = 0
      while let target = targets.popLast() {
        targets += try await store.handle.write { try RemovalStep(target, in: $0).next }
        steps += 1
      }
      // 20 MB of bodies count twice, and 25 MB of artifacts, by 16 MiB.
      #expect(steps >= 4)
      #expect(steps <= 6)
    }
  }
}
