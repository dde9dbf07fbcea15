#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension StoreHandle {
  /// The number of files that are removed while others wait to write.
  private static let filesAtOnce = 256

  /// Removes the files and copies of artifacts that no row names. Each is looked at again under the writers' lock.
  ///
  /// A file is also renamed into place, and its row committed, under that lock. So a file in use is never removed, even
  /// if somebody attaches the same bytes meanwhile. The caller's cancellation does not stop this.
  /// - Returns: Whether all are removed; false while a backup or an export runs.
  func removeFiles(of digests: [SHA256Digest], patience: Duration = .zero) async throws -> Bool {
    guard !digests.isEmpty else { return true }
    let handle = self
    return try await Task {
      try await handle.sweeping(patience: patience) {
        for start in stride(from: 0, to: digests.count, by: Self.filesAtOnce) {
          let some = Array(digests[start..<min(digests.count, start + Self.filesAtOnce)])
          _ = try await handle.removeUnnamed(some)
        }
        return true
      } ?? false
    }.value
  }

  /// Removes the files that an earlier removal left, without waiting for anybody; returns their number.
  func removeLeftFiles() async throws -> Removal {
    let handle = self
    return try await Task {
      var removed = Removal()
      while true {
        let digests = try handle.read {
          try $0.clearing.removedArtifacts(atMost: Self.filesAtOnce)
        }
        if digests.isEmpty { return removed }
        let gone = try await handle.sweeping(patience: .zero) {
          try await handle.removeUnnamed(digests)
        }
        guard let gone else {
          removed.isComplete = false
          return removed
        }
        removed.strayFiles += gone.count
        removed.strayBytes += gone.bytes
      }
    }.value
  }

  /// Removes files that no row names, and returns their number and size. The caller holds the sweep's lock.
  func removeUnnamed(_ digests: [SHA256Digest]) async throws -> (count: Int, bytes: Int64) {
    let layout = layout
    // On a full disk the body may run twice, and the second run finds only what the first one left.
    let removed = Locked((count: 0, bytes: Int64(0)))
    try await exclusively(isTidying: true) { db in
      try db.files.recheckSchema()
      let gone = try layout.removeUnnamed(digests, in: db)
      removed.withLock {
        $0.count += gone.count
        $0.bytes += gone.bytes
      }
      if try db.clearing.hasRemovedArtifacts() {
        try db.committing { try db.clearing.forget(digests) }
      }
    }
    return removed.withLock { $0 }
  }
}

extension StoreLayout {
  /// Removes the files and copies of artifacts that no row names, under the writers' lock and the sweep's.
  func removeUnnamed(_ digests: [SHA256Digest], in db: Tables) throws -> (
    count: Int, bytes: Int64
  ) {
    var removed = (count: 0, bytes: Int64(0))
    var shards: [String: Directory] = [:]
    for digest in digests {
      if try db.artifacts.has(digest) { continue }
      try removeCopies(of: digest)
      let hex = digest.hex
      let shardName = String(hex.prefix(2))
      guard let shard = try shards[shardName] ?? shard(shardName) else { continue }
      shards[shardName] = shard
      guard let status = try shard.status(String(hex.dropFirst(2))) else { continue }
      try shard.unlink(String(hex.dropFirst(2)))
      removed.count += 1
      removed.bytes += status.size
    }
    // So that what was erased does not come back with a power cut.
    for shard in shards.values { try shard.sync() }
    return removed
  }

  /// The folder of some artifacts' files, if it is there.
  fileprivate func shard(_ name: String) throws -> Directory? {
    do {
      return try folder.subdirectory(Self.artifacts, create: false)
        .subdirectory(name, create: false)
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Removes the copies of an artifact that were made for viewers and players.
  private func removeCopies(of digest: SHA256Digest) throws {
    guard try folder.exists(Self.cache) else { return }
    let cache = try folder.subdirectory(Self.cache, create: false)
    guard try cache.exists(CopyName.folder(digest)) else { return }
    try cache.removeTree(CopyName.folder(digest))
  }
}

extension Artifacts {
  /// The folder of some artifacts' files, if it is there.
  func existingShard(_ name: String) throws -> Directory? { try layout.shard(name) }
}
