import Foundation
import Keepsake
import Testing

/// What is not a sound store of this version is refused, and left as it is.
@Suite struct `Opening what is no sound store` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  static let accesses: [Store.Options.Access] = [.readWrite, .readWriteExisting, .readOnly]

  @Test(arguments: accesses)
  func `refuses a folder that holds something else`(access: Store.Options.Access) async throws {
    try makeFolder(with: ["notes.txt": Data("mine".utf8)])
    try await expectRefusal(.notAStore, access)
  }

  @Test(arguments: accesses)
  func `refuses a file`(access: Store.Options.Access) async throws {
    try Data("mine".utf8).write(to: folder.store)
    let error = await keepsakeError { try await open(access) }
    #expect(error?.code == .notAStore)
    #expect(try Data(contentsOf: folder.store) == Data("mine".utf8))
  }

  @Test(arguments: accesses)
  func `refuses a database file that is none`(access: Store.Options.Access) async throws {
    try makeFolder(with: ["store.sqlite": Data(repeating: 0x55, count: 8192)])
    try await expectRefusal(.notAStore, access)
  }

  @Test(arguments: accesses)
  func `refuses another program's database`(access: Store.Options.Access) async throws {
    try makeFolder(with: [:])
    try sqlite("CREATE TABLE mine (a); INSERT INTO mine VALUES (1);")
    try await expectRefusal(.notAStore, access)
  }

  @Test(arguments: accesses)
  func `refuses an empty database file`(access: Store.Options.Access) async throws {
    try makeFolder(with: ["store.sqlite": Data()])
    let before = try TestFolder.contents(of: folder.store)
    let error = await keepsakeError { try await open(access) }
    #expect(
      error.map { [.notAStore, .damaged].contains($0.code) } == true, "\(error?.message ?? "")")
    #expect(try TestFolder.contents(of: folder.store) == before)
  }

  @Test(arguments: accesses)
  func `refuses a newer version's store`(access: Store.Options.Access) async throws {
    try await makeStore()
    try sqlite("PRAGMA user_version = 999")
    let error = try await expectRefusal(.newerStore, access)
    #expect(error?.message.contains("schema 999") == true)
    #expect(error?.remedy == .upgrade)
  }

  /// What a kill leaves between the first two writes of a new log: a header of 32 bytes, and nothing else.
  @Test(arguments: accesses, [true, false])
  func `takes a store whose log has nothing in it`(
    access: Store.Options.Access, hasSharedMemory: Bool
  ) async throws {
    let session = try await makeStore()
    try Data(1...32).write(
      to: folder.store.appending(path: "store.sqlite-wal"))
    if hasSharedMemory {
      try Data(count: 32768).write(to: folder.store.appending(path: "store.sqlite-shm"))
    }
    #expect(try await readAll(session.id, access) == nil)
  }

  /// The newer version's change is in the log alone, as it is after a crash, and in copies made without shared memory.
  @Test(arguments: accesses, [true, false])
  func `refuses a newer version's store that was not brought home`(
    access: Store.Options.Access, hasSharedMemory: Bool
  ) async throws {
    try await makeStore()
    let program = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import os, signal, sqlite3, sys
        db = sqlite3.connect(sys.argv[1])
        db.execute("PRAGMA user_version = 999")
        os.kill(os.getpid(), signal.SIGKILL)
        """, database.path,
      ])
    #expect(!program.succeeds())
    let log = folder.store.appending(path: "store.sqlite-wal")
    #expect(try Data(contentsOf: log).count > 4096)
    if !hasSharedMemory {
      try FileManager.default.removeItem(at: folder.store.appending(path: "store.sqlite-shm"))
    }
    try await expectRefusal(.newerStore, access)
  }

  @Test(arguments: accesses)
  func `refuses a store that another program changed the record of`(access: Store.Options.Access)
    async throws
  {
    try await makeStore()
    try sqlite("DELETE FROM migration")
    try await expectRefusal(.damaged, access)
  }

  @Test(arguments: accesses)
  func `refuses a store whose first page is rubbish`(access: Store.Options.Access) async throws {
    try await makeStore()
    try overwrite(page: 1, from: 16)
    let before = try TestFolder.contents(of: folder.store)
    let error = await keepsakeError { try await open(access) }
    #expect(try TestFolder.contents(of: folder.store) == before)
    #expect(
      error.map { [.notAStore, .damaged].contains($0.code) } == true, "\(error?.message ?? "")")
  }

  @Test func `reports the page that is rubbish to whoever reads it, and changes nothing`()
    async throws
  {
    let session = try await makeStore()
    let pages = try Data(contentsOf: database).count / 4096
    var found = 0
    let whole = try Data(contentsOf: database)
    for page in 2...pages {
      try whole.write(to: database)
      try overwrite(page: page, from: 0)
      let damaged = try Data(contentsOf: database)
      if let error = try await readAll(session.id, page % 2 == 0 ? .readOnly : .readWriteExisting) {
        found += 1
        #expect([.damaged, .notAStore].contains(error.code), "page \(page): \(error)")
        #expect(
          error.remedy == .verifyAndRestore || error.remedy == .verify
            || error.message.contains("not a store"),
          "page \(page): \(error)")
      }
      #expect(try Data(contentsOf: database) == damaged, "page \(page)")
    }
    #expect(found > 5)
  }

  @Test(.enabled(if: getuid() != 0, "root may enter every folder"), arguments: accesses)
  func `refuses a folder that this user may not enter`(access: Store.Options.Access) async throws {
    try await makeStore()
    try setMode(0, of: folder.store)
    let error = await keepsakeError { try await open(access) }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message.contains("permission") == true)
    try setMode(0o700, of: folder.store)
  }

  @Test(.enabled(if: getuid() != 0, "root may write to every folder"))
  func `makes no store where this user may not write`() async throws {
    try setMode(0o500, of: folder.url)
    let error = await keepsakeError { try await open(.readWrite) }
    #expect(error?.code == .permissionDenied)
    try setMode(0o700, of: folder.url)
  }

  // MARK: -

  private var database: URL { folder.store.appending(path: "store.sqlite") }

  private func open(_ access: Store.Options.Access) async throws -> Store {
    try await Store(at: folder.store, options: .init(access: access))
  }

  /// Reads everything; gives the error of a store that says that it is damaged, and nil when all of it was right.
  private func readAll(_ id: UUID, _ access: Store.Options.Access) async throws -> KeepsakeError? {
    let store: Store
    do { store = try await open(access) } catch let error as KeepsakeError { return error }
    do {
      let texts = try await store.session(id).entries.all().map(\.text)
      await store.close()
      #expect(texts == (0..<200).map(Self.text), "wrong text")
      return nil
    } catch let error as KeepsakeError {
      await store.close()
      return error
    }
  }

  private func setMode(_ mode: Int, of url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  @discardableResult
  private func expectRefusal(_ code: KeepsakeError.Code, _ access: Store.Options.Access)
    async throws -> KeepsakeError?
  {
    let before = try TestFolder.contents(of: folder.store)
    let error = await keepsakeError { try await open(access) }
    #expect(error?.code == code, "\(error?.message ?? "")")
    #expect(error?.message.contains(folder.store.path) == true)
    let after = try TestFolder.contents(of: folder.store)
    #expect(after.keys.sorted() == before.keys.sorted())
    #expect(after == before)
    return error
  }

  private func makeFolder(with files: [String: Data]) throws {
    try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: false)
    for (name, data) in files { try data.write(to: folder.store.appending(path: name)) }
  }

  private static func text(_ number: Int) -> String {
    "\(number) " + String(repeating: "banana ", count: 30)
  }

  /// A store with 200 entries, all of it in the database file.
  @discardableResult
  private func makeStore() async throws -> Session {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    try await session.append((0..<200).map { Entry.event(Self.text($0)) })
    await store.close()
    try sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    return session
  }

  private func sqlite(_ sql: String) throws {
    let program = try OtherProgram("/usr/bin/env", ["sqlite3", database.path, sql])
    #expect(program.succeeds())
  }

  private func overwrite(page: Int, from offset: Int) throws {
    let file = try FileHandle(forWritingTo: database)
    try file.seek(toOffset: UInt64((page - 1) * 4096 + offset))
    try file.write(
      contentsOf: Data((offset..<4096).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ 13) }))
    try file.close()
  }
}
