#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A sweep of a store. It finds candidates without a lock, and looks at each again under the writers' lock before it
/// removes it.
struct Sweep {
  let handle: StoreHandle
  let age: Duration
  /// The moment in microseconds since 1970; files that changed later are left alone.
  let limit: Int64
  /// The moment, by the clock that stamped the rows; rows that were written later are left alone.
  let rowLimit: Int64
  /// The artifacts whose bytes the caller gave up.
  let lost: Set<Artifact.ID>

  init(handle: StoreHandle, age: Duration, givingUp lost: Set<Artifact.ID> = []) {
    self.handle = handle
    self.age = age
    self.lost = lost
    limit = Date().microseconds(before: age)
    rowLimit = handle.options.now().microseconds(before: age)
  }

  var artifacts: Artifacts { handle.artifacts }

  /// Counts what the sweep would remove.
  func preview() throws -> Removal {
    do {
      var found = try sessions()
      for artifact in try unusedArtifacts(after: 0, atMost: .max) {
        found.artifacts += 1
        found.artifactBytes += artifact.size
      }
      for orphan in try orphans() { found.addStray(orphan.size) }
      let leftovers = try Leftovers(layout: handle.layout).found(olderThan: age)
      found.strayFiles += leftovers.count
      found.strayBytes += leftovers.bytes
      try lookAtCopies { _, _, size in found.addStray(size) }
      return found
    } catch { throw KeepsakeError.wrap(error, store: handle.layout.path) }
  }
}

extension Sweep {
  /// Counts the sessions of interrupted deletions, imports and restorings.
  func sessions() throws -> Removal {
    var found = Removal()
    let rows = try handle.read { try $0.clearing.interrupted() }
    for row in rows {
      if let owner = row.owner, try handle.isAlive(owner) { continue }
      found.sessions += 1
      found.entries += row.entries
    }
    return found
  }

  func removeUnusedArtifacts() async throws -> Removal {
    var removed = Removal()
    var last: Int64 = 0
    while true {
      let found = try unusedArtifacts(after: last, atMost: 1000).map(\.number)
      guard let end = found.last else { return removed }
      last = end
      let step = try await handle.tidy { change in
        var step = (removed: Removal(), unused: UnusedArtifacts())
        for number in found { step.unused.add(number) }
        try step.unused.removeRows(countingIn: &step.removed, in: change.db)
        return step
      }
      removed.add(step.removed)
      if try await !handle.removeFiles(of: step.unused.digests) { removed.isComplete = false }
    }
  }

  /// Finds artifacts that no row refers to, first by the indexes, and then by the rows themselves.
  func unusedArtifacts(after number: Int64, atMost count: Int) throws -> [(
    number: Int64, size: Int64
  )] {
    try handle.read { db in
      let found = try db.artifacts.unused(after: number, createdBy: rowLimit, atMost: count)
      try requireUnused(Set(found.map(\.number)), in: db)
      return found
    }
  }
}

extension Sweep {
  /// Removes files of artifacts without a row, which a crash leaves between a rename and its commit.
  func removeOrphans() async throws -> Removal {
    var removed = Removal()
    let orphans = try orphans().map(\.digest)
    for start in stride(from: 0, to: orphans.count, by: 256) {
      let gone = try await handle.removeUnnamed(
        Array(orphans[start..<min(orphans.count, start + 256)]))
      removed.strayFiles += gone.count
      removed.strayBytes += gone.bytes
    }
    return removed
  }

  /// Finds files of artifacts without a row, first by the index, and then by the rows themselves.
  func orphans() throws -> [(digest: SHA256Digest, size: Int64)] {
    guard try handle.layout.folder.exists(StoreLayout.artifacts) else { return [] }
    let root = try handle.layout.folder.subdirectory(StoreLayout.artifacts)
    var orphans: [(digest: SHA256Digest, size: Int64)] = []
    for name in try root.names() where name.utf8.count == 2 && UInt8(name, radix: 16) != nil {
      guard let shard = try artifacts.existingShard(name) else { continue }
      for file in try shard.names() {
        guard let digest = SHA256Digest(hex: name + file), digest.hex == name + file,
          let status = try shard.status(file), status.isRegular, status.isOlder(than: limit),
          try handle.read({ try artifacts.row(digest, in: $0) }) == nil
        else { continue }
        orphans.append((digest, status.size))
      }
    }
    try requireUnnamed(Set(orphans.map(\.digest)))
    return orphans
  }

  /// Finds the notes of first files whose writers ended before they could remove them.
  func firstFiles() throws -> [(digest: SHA256Digest, folder: Directory, name: String)] {
    guard try handle.layout.folder.exists(StoreLayout.incoming) else { return [] }
    let folder = try handle.layout.folder.subdirectory(StoreLayout.incoming)
    return try folder.names().compactMap { name in
      guard let digest = FirstFile.digest(ofName: name), let status = try folder.status(name),
        Leftovers.isOurs(status), status.isOlder(than: limit)
      else { return nil }
      return (digest, folder, name)
    }
  }

  /// Removes unfinished files that no open store writes any more, and the instance files of ended processes.
  func removeLeftovers(countingIn removed: inout Removal) throws {
    let leftovers = Leftovers(layout: handle.layout)
    // Files that were removed when the store was opened are counted here, because nothing else reports them.
    let before = handle.store.upkeep?.takeRemoved() ?? Abandoned()
    let now = [try leftovers.removeIncoming(olderThan: age), try leftovers.removeBesides()]
    for gone in [before] + now {
      removed.strayFiles += gone.count
      removed.strayBytes += gone.bytes
    }
  }

  /// Removes copies of artifacts that are gone, and unfinished copies.
  func removeCopies(countingIn removed: inout Removal) throws {
    try lookAtCopies { folder, file, size in
      try folder.removeTree(file)
      removed.addStray(size)
    }
    guard let cache = try cache() else { return }
    for name in try cache.names() {
      guard try cache.status(name)?.isDirectory == true, try !isUsed(name),
        try cache.subdirectory(name).names().isEmpty
      else { continue }
      try cache.removeTree(name)
    }
  }

  private func cache() throws -> Directory? {
    guard try handle.layout.folder.exists(StoreLayout.cache) else { return nil }
    return try handle.layout.folder.subdirectory(StoreLayout.cache)
  }

  private func lookAtCopies(_ body: (Directory, String, Int64) throws -> Void) throws {
    guard let cache = try cache() else { return }
    for name in try cache.names() {
      guard let status = try cache.status(name), status.isDirectory else { continue }
      let folder = try cache.subdirectory(name)
      let isUsed = try isUsed(name)
      for file in try folder.names() where !isUsed || file.hasPrefix(".") {
        guard let status = try folder.status(file), !isUsed || status.isOlder(than: limit) else {
          continue
        }
        try body(folder, file, status.size)
      }
    }
  }

  /// Tells whether the artifact exists whose copies a folder of the cache has.
  private func isUsed(_ digits: String) throws -> Bool {
    guard let range = Artifact.ID.range(beginning: digits) else { return false }
    return try handle.read { try $0.artifacts.hasAny(in: range) }
  }
}

extension Removal {
  fileprivate mutating func addStray(_ size: Int64) {
    strayFiles += 1
    strayBytes += size
  }
}
