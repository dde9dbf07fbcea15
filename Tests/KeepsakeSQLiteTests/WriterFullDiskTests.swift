import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

/// A real disk that is full: a file system in memory with room for one megabyte.
struct WriterFullDiskTests {
  @Test(.enabled(if: SmallDisk.canBeMade, "Mounting a file system is not permitted here"))
  func `a full disk fails only those that do not fit, and later ones find their room again`()
    async throws
  {
    let disk = try SmallDisk()
    let path = disk.path + "/store.sqlite"
    do {
      let db = try Connection(path: path, access: .create)
      try db.execute("CREATE TABLE t (a INTEGER UNIQUE, b BLOB) STRICT")
    }
    // What will be freed again. It has to be there first: the log takes all that is left, and keeps it.
    let ballast = disk.path + "/ballast"
    try Data(count: 300_000).write(to: URL(fileURLWithPath: ballast))
    let writer = try Writer { try Connection(path: path, access: .readWrite) }
    let gate = Gate()
    let holder = await writer.hold(at: gate)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<8 {
      let bytes = number == 3 ? 3_000_000 : 100
      tasks.append(Task { try await writer.write { try $0.insert(number, bytes: bytes) } })
      await writer.waitForQueue(number + 1)
    }
    gate.open()
    try await holder.value
    for (number, task) in tasks.enumerated() where number != 3 { try await task.value }
    let error = await #expect(throws: SQLiteError.self) { try await tasks[3].value }
    #expect(error?.isFull == true)
    #expect(error.map { "\($0)" }?.contains("Free some space") == true)
    #expect(writer.statistics.reruns == 8)

    // Small ones fit until the log is full too.
    let refused = await #expect(throws: SQLiteError.self) {
      for number in 100..<1000 { try await writer.write { try $0.insert(number, bytes: 3000) } }
    }
    #expect(refused?.isFull == true)
    let before = try await writer.exclusively { try $0.integer("SELECT count(*) FROM t") }
    try FileManager.default.removeItem(atPath: ballast)
    try await writer.write { try $0.insert(5000, bytes: 3000) }
    let after = try await writer.exclusively { db in
      #expect(try db.integrityCheck(quick: false) == [])
      return try db.integer("SELECT count(*) FROM t")
    }
    #expect(after == before.map { $0 + 1 })
    await writer.close()
  }

  @Test(.enabled(if: SmallDisk.canBeMade, "Mounting a file system is not permitted here"))
  func `what frees space may use the room that is kept for it, and nobody else`() async throws {
    let disk = try SmallDisk()
    let path = disk.path + "/store.sqlite"
    do {
      let db = try Connection(path: path, access: .create)
      try db.execute("CREATE TABLE t (a INTEGER UNIQUE, b BLOB) STRICT")
    }
    let reserve = disk.path + "/reserve"
    let uses = Locked((released: 0, renewed: 0))
    let renew = { FileManager.default.createFile(atPath: reserve, contents: Data(count: 300_000)) }
    #expect(renew())
    var configuration = Writer.Configuration()
    configuration.reserve = .init(
      release: {
        uses.withLock { $0.released += 1 }
        return (try? FileManager.default.removeItem(atPath: reserve)) != nil
      },
      renew: {
        uses.withLock { $0.renewed += 1 }
        _ = FileManager.default.createFile(atPath: reserve, contents: Data(count: 300_000))
      })
    let writer = try Writer(configuration: configuration) {
      try Connection(path: path, access: .readWrite)
    }
    let refused = await #expect(throws: SQLiteError.self) {
      for number in 0..<1000 { try await writer.write { try $0.insert(number, bytes: 3000) } }
    }
    #expect(refused?.isFull == true)
    #expect(uses.withLock { $0.released } == 0)
    try await writer.tidy { transaction in
      try transaction.db.prepare("DELETE FROM t WHERE a % 2 = 0").run()
    }
    #expect(uses.withLock { $0 == (1, 1) })
    try await writer.tidy { try $0.db.prepare("DELETE FROM t WHERE a = 1").run() }
    // There was room this time.
    #expect(uses.withLock { $0 == (1, 1) })
    // What fails for another reason, or does not fit all the same, is told as it is.
    let large = await #expect(throws: SQLiteError.self) {
      try await writer.tidy { try $0.insert(5000, bytes: 2_000_000) }
    }
    #expect(large?.isFull == true)
    let twice = await #expect(throws: SQLiteError.self) {
      try await writer.tidy { try $0.insert(3) }
    }
    #expect(twice?.isConstraint == true)
    #expect(uses.withLock { $0.released } == 2)
    await writer.close()
  }
}

/// A mounted file system, taken down when nobody uses it any more.
final class SmallDisk {
  static let canBeMade: Bool = {
    guard let disk = try? SmallDisk() else { return false }
    return disk.isMounted
  }()

  let path: String
  let isMounted: Bool

  init() throws {
    path = NSTemporaryDirectory() + "keepsake-disk-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    isMounted = Self.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path)
  }

  deinit {
    if isMounted { _ = Self.run("umount", "-l", path) }
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func run(_ command: String...) -> Bool {
    let output = try? ProgramOutput(
      running: "/usr/bin/env", command, environment: ProcessInfo.processInfo.environment, limit: 0)
    return output?.exitCode == 0
  }
}
