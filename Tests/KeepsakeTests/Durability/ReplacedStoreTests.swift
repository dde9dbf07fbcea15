import Foundation
import Keepsake
import Testing

/// What happens to a store's folder while it is open.
@Suite struct `A store that is open` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `takes no change when it was deleted`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try FileManager.default.removeItem(at: folder.store)
    try await expectReplaced(store, session)
  }

  @Test func `takes no change when it was moved`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let elsewhere = folder.url.appending(path: "Elsewhere.keepsake")
    try FileManager.default.moveItem(at: folder.store, to: elsewhere)
    try await expectReplaced(store, session)

    let moved = try await Store(at: elsewhere)
    #expect(try await moved.session(session.id).count() == 0)
    await moved.close()
  }

  @Test func `takes no change when another store came in its place`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try FileManager.default.moveItem(
      at: folder.store, to: folder.url.appending(path: "Elsewhere.keepsake"))
    let other = try await Store(at: folder.store)
    #expect(other.id != store.id)
    try await expectReplaced(store, session)
    #expect(try await other.sessions().sessions.isEmpty)
    await other.close()
  }

  /// As a person does who restores a backup under a running program.
  @Test func `takes no change when another database came in the place of its own`() async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let backup = folder.url.appending(path: "Backup.keepsake")
    let made = try await Store(at: backup)
    await made.close()
    for name in ["store.sqlite-wal", "store.sqlite-shm", "store.sqlite"] {
      let place = folder.store.appending(path: name)
      try FileManager.default.removeItem(at: place)
      let source = backup.appending(path: name)
      if name == "store.sqlite" { try FileManager.default.copyItem(at: source, to: place) }
    }
    try await expectReplaced(store, session)
  }

  @Test(arguments: ["store.sqlite-wal", "store.sqlite-shm"])
  func `F7: takes no change when its log, or the index of that, was deleted or replaced`(
    name: String
  ) async throws {
    for isReplaced in [false, true] {
      let place = folder.url.appending(path: "\(isReplaced).keepsake")
      let store = try await Store(at: place)
      let session = try await store.createSession()
      try await session.append(.prompt("kept"))
      let file = place.appending(path: name)
      let taken = folder.url.appending(path: "taken")
      try FileManager.default.moveItem(at: file, to: taken)
      if isReplaced { try FileManager.default.copyItem(at: taken, to: file) }

      for _ in 0..<2 {
        let error = await keepsakeError { try await session.append(.prompt("to whom?")) }
        #expect(error?.code == .replaced)
        #expect(error?.message.contains("put its 'store.sqlite-wal' back") == true)
      }
      // Nothing of it goes into the database either, which others may have changed by now.
      let database = try Data(contentsOf: place.appending(path: "store.sqlite"))
      await store.close()
      #expect(try Data(contentsOf: place.appending(path: "store.sqlite")) == database)

      // As the message advises.
      if isReplaced { try FileManager.default.removeItem(at: file) }
      try FileManager.default.moveItem(at: taken, to: file)
      let again = try await Store(at: place)
      #expect(try await again.session(session.id).texts() == ["kept"])
      #expect(try await again.verify(.init(readData: true)).isSound)
      await again.close()
    }
  }

  /// A program that reads the database's file by itself takes SQLite's locks from its own process. Another SQLite that
  /// comes then thinks that it is alone: when it closes it brings the log home and deletes it.
  @Test func `F7: an app that opens and closes the database's file loses nothing by that`()
    async throws
  {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try await session.append(.prompt("kept"))
    let database = folder.store.appending(path: "store.sqlite")
    _ = try Data(contentsOf: database)
    try visit(database, times: 1)
    #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
    let error = await keepsakeError { try await session.append(.prompt("to whom?")) }
    #expect(error?.code == .replaced)
    await store.close()

    let again = try await Store(at: folder.store)
    #expect(try await again.session(session.id).texts() == ["kept"])
    #expect(try await again.verify(.init(readData: true)).isSound)
    await again.close()
  }

  @Test func `F7: another SQLite that comes and goes while entries are written changes nothing`()
    async throws
  {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let database = folder.store.appending(path: "store.sqlite")
    async let visits: Void = visit(database, times: 200)
    var count = 0
    while count < 300 {
      try await session.append(.prompt("\(count)"))
      count += 1
    }
    try await visits
    #expect(try await session.texts() == (0..<count).map { "\($0)" })
    #expect(try await store.verify(.init(readData: true)).isSound)
    await store.close()
  }

  /// Opens the database with another SQLite, reads, brings its log home and closes it, so many times.
  private func visit(_ database: URL, times: Int) throws {
    let visitor = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import sqlite3, sys
        for _ in range(int(sys.argv[2])):
            db = sqlite3.connect(sys.argv[1], isolation_level=None)
            db.execute("SELECT count(*) FROM entry").fetchall()
            db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            db.close()
        """, database.path, "\(times)",
      ])
    #expect(visitor.succeeds())
  }

  private func expectReplaced(_ store: Store, _ session: Session) async throws {
    let small = await keepsakeError { try await session.append(.prompt("to whom?")) }
    #expect(small?.code == .replaced)
    #expect(small?.message.contains("open it again") == true)
    let large = await keepsakeError {
      try await session.attach(.init(.bytes([UInt8](repeating: 7, count: 300_000))))
    }
    #expect(large?.code == .replaced)
    await store.close()
  }
}
