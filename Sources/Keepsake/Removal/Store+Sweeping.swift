#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

extension Store {
  /// Removes what belongs to nothing: files that a crash left, artifacts without a use, copies of artifacts that are
  /// gone, imports and restorings that did not come to their end, and the rest of sessions whose deletion was cut short.
  ///
  /// Safe beside any number of processes that write. What is younger than `age` is left alone, and so is what an open
  /// store, in whatever process, is still writing. It waits for backups and exports, and throws `locked` when they take
  /// longer than the store's patience; what it removed until then stays removed.
  @concurrent @discardableResult
  public func sweep(olderThan age: Duration = .seconds(3600)) async throws -> Removal {
    try core.requireWriter()
    let sweep = Sweep(core: core, age: age)
    var removed = try await core.abandonDeadRestorations()
    removed.add(try await core.abandonDeadImports())
    removed.add(try await sweep.finishDeletions())
    removed.add(try await sweep.removeUnusedArtifacts())
    let strays = try await core.sweeping(patience: core.options.patience) {
      var strays = try await sweep.removeOrphans()
      try sweep.removeIncoming(countingIn: &strays)
      try sweep.removeCopies(countingIn: &strays)
      return strays
    }
    guard let strays else {
      throw KeepsakeError(
        .locked,
        "Gave up waiting to sweep the store at '\(core.layout.path)': a backup or an export is under way. Try again when it is done.",
        object: core.layout.path)
    }
    removed.add(strays)
    let isCut = try await core.cutLog()
    removed.isComplete = removed.isComplete && isCut
    let result = removed
    try await core.write { change in
      try change.log(
        .sweep,
        [
          ("artifacts", .number(Int64(result.artifacts))),
          ("files", .number(Int64(result.strayFiles))),
          ("bytes", .number(result.artifactBytes + result.strayBytes)),
        ])
    }
    return result
  }

  /// Gives the space of what was deleted back to the disk, and rewrites the database compactly.
  ///
  /// Nobody else can write meanwhile, and it needs as much free space as the database has. Without it, freed space is
  /// used again by what comes.
  /// - Returns: How many bytes the database became smaller.
  @concurrent @discardableResult
  public func compact() async throws -> Int64 {
    let before = try databaseSize()
    try await core.exclusively { [core] db in
      try StoreOpening.migrator.recheck(db)
      try SearchIndex.scrub(in: db)
      // The copy that it makes goes where temporary files go: in memory it would be as large as the database.
      try db.execute("PRAGMA temp_store = FILE")
      defer { try? db.execute("PRAGMA temp_store = MEMORY") }
      try db.prepare("VACUUM").run()
      try LogLine.add(.compact, [("bytes", .number(before))], at: core.now(), in: db)
      _ = try db.checkpoint(.truncate)
    }
    return max(0, before - (try databaseSize()))
  }

  /// As the folder lists it: the file itself is nobody's to open but SQLite's.
  private func databaseSize() throws -> Int64 {
    // allow(database-file): asks for sizes and opens nothing.
    try [StoreLayout.database, StoreLayout.database + "-wal"].reduce(0) {
      $0 + (try core.layout.folder.status($1)?.size ?? 0)
    }
  }
}

/// One sweep. What it finds without a lock is looked at again under the writers' lock before it goes.
private struct Sweep {
  let core: StoreCore
  /// What changed after this moment is left alone; in microseconds since 1970.
  let limit: Int64

  init(core: StoreCore, age: Duration) {
    self.core = core
    let age = age.components
    limit =
      Date().microseconds - age.seconds.multipliedReportingOverflow(by: 1_000_000).partialValue
      - age.attoseconds / 1_000_000_000_000
  }

  private var artifacts: Artifacts { core.artifacts }

  private func isOld(_ status: FileStatus) -> Bool {
    // Renaming a file into place changes its status and not its bytes.
    max(status.modified, status.changed) / 1000 <= limit
  }
}

// MARK: - Rows

extension Sweep {
  /// Goes on with deletions that a crash cut short, forks before what they were forked from: also where forks keep a
  /// session, because what they don't show may not all be gone.
  func finishDeletions() async throws -> Removal {
    let numbers = try core.read { db in
      let find = try db.prepare(
        """
        SELECT number FROM session WHERE state = 2 ORDER BY number DESC
        """)
      var numbers: [Int64] = []
      while try find.step() { numbers.append(find.int64(0)) }
      return numbers
    }
    var removed = Removal()
    for number in numbers {
      let step = try await core.write { change in try RemovalStep(number, in: change) }
      removed.add(try await core.finish(step))
    }
    return removed
  }

  func removeUnusedArtifacts() async throws -> Removal {
    var removed = Removal()
    var last: Int64 = 0
    while true {
      let found = try unusedArtifacts(after: last)
      guard let end = found.last else { return removed }
      last = end
      let step = try await core.write { change in
        var step = (removed: Removal(), unused: UnusedArtifacts())
        for number in found { step.unused.add(number) }
        try step.unused.removeRows(countingIn: &step.removed, in: change.db)
        return step
      }
      removed.add(step.removed)
      if try await !core.removeFiles(of: step.unused.digests) { removed.isComplete = false }
    }
  }

  private func unusedArtifacts(after number: Int64) throws -> [Int64] {
    try core.read { db in
      let find = try db.prepare(
        """
        SELECT number FROM artifact AS f WHERE number > ? AND created <= ?
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number)
          AND NOT EXISTS (SELECT 1 FROM derivation WHERE artifact = f.number)
          AND NOT EXISTS (SELECT 1 FROM source_span WHERE artifact = f.number)
        ORDER BY number LIMIT 1000
        """)
      find.bind(number, at: 1)
      find.bind(limit, at: 2)
      var numbers: [Int64] = []
      while try find.step() { numbers.append(find.int64(0)) }
      return numbers
    }
  }
}

// MARK: - Files

extension Sweep {
  /// Removes artifact files without a row: what a crash left between a rename and its commit.
  func removeOrphans() async throws -> Removal {
    var removed = Removal()
    let root = try artifacts.folder(StoreLayout.artifacts)
    for name in try root.names() where name.utf8.count == 2 && UInt8(name, radix: 16) != nil {
      guard let shard = try artifacts.existingShard(name) else { continue }
      var orphans: [SHA256Digest] = []
      for file in try shard.names() {
        guard let digest = SHA256Digest(hex: name + file), digest.hex == name + file,
          let status = try shard.status(file), status.isRegular, isOld(status),
          try core.read({ try artifacts.row(digest, in: $0) }) == nil
        else { continue }
        orphans.append(digest)
      }
      for start in stride(from: 0, to: orphans.count, by: 256) {
        let gone = try await core.removeUnnamed(
          Array(orphans[start..<min(orphans.count, start + 256)]))
        removed.strayFiles += gone.count
        removed.strayBytes += gone.bytes
      }
    }
    return removed
  }

  /// Removes what no open store writes any more, and the signs of life of those that ended without removing them.
  func removeIncoming(countingIn removed: inout Removal) throws {
    let folder = try artifacts.folder(StoreLayout.incoming)
    for name in try folder.names() {
      guard let status = try folder.status(name), status.isRegular, isOld(status) else { continue }
      if name.hasPrefix(StoreInstance.namePrefix) {
        guard try StoreInstance.removeDead(named: name, in: folder) else { continue }
      } else {
        if let owner = IncomingFile.owner(ofName: name), try core.isAlive(owner) { continue }
        guard try folder.removeIfThere(name) else { continue }
      }
      removed.strayFiles += 1
      removed.strayBytes += status.size
    }
  }

  /// Removes copies of artifacts that are gone, and what a crash left of a copy.
  func removeCopies(countingIn removed: inout Removal) throws {
    guard try core.layout.folder.exists(StoreLayout.cache) else { return }
    let cache = try core.layout.folder.subdirectory(StoreLayout.cache, create: false)
    for name in try cache.names() {
      guard let status = try cache.status(name), status.isDirectory else { continue }
      let folder = try cache.subdirectory(name, create: false)
      let isUsed = try core.read { try Self.hasArtifact(beginning: name, in: $0) }
      for file in try folder.names() where !isUsed || file.hasPrefix(".") {
        guard let status = try folder.status(file), !isUsed || isOld(status) else { continue }
        try folder.removeTree(file)
        removed.strayFiles += 1
        removed.strayBytes += status.size
      }
      if !isUsed { try cache.removeTree(name) }
    }
  }

  private static func hasArtifact(beginning digits: String, in db: Connection) throws -> Bool {
    guard let range = Artifact.ID.range(beginning: digits) else { return false }
    let find = try db.prepare("SELECT 1 FROM artifact WHERE digest BETWEEN ? AND ? LIMIT 1")
    find.bind(range.lowerBound, at: 1)
    find.bind(range.upperBound, at: 2)
    return try find.step()
  }
}

extension Directory {
  /// Removes a file; false when somebody else did.
  fileprivate func removeIfThere(_ name: String) throws -> Bool {
    do {
      try unlink(name)
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }
}
