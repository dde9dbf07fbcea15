#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

extension StoreCore {
  /// Removes the files and copies of artifacts that no row names, each looked at again under the writers' lock.
  ///
  /// A file is renamed into place and its row committed under that lock, too: so nothing that is referred to is ever
  /// removed, whoever attaches the same bytes meanwhile. Not stopped by the caller's cancellation.
  /// - Returns: Whether all is gone; false while a backup or an export is under way.
  func removeFiles(of digests: [SHA256Digest], patience: Duration = .zero) async throws -> Bool {
    guard !digests.isEmpty else { return true }
    let core = self
    return try await Task {
      try await core.sweeping(patience: patience) {
        for start in stride(from: 0, to: digests.count, by: 256) {
          let some = Array(digests[start..<min(digests.count, start + 256)])
          _ = try await core.removeUnnamed(some)
        }
        return true
      } ?? false
    }.value
  }

  /// Removes files that no row names; the caller holds the sweep's lock. Gives how many there were, and their size.
  func removeUnnamed(_ digests: [SHA256Digest]) async throws -> (count: Int, bytes: Int64) {
    let artifacts = artifacts
    return try await exclusively { db in
      try StoreOpening.migrator.recheck(db)
      var removed = (count: 0, bytes: Int64(0))
      var shards: [String: Directory] = [:]
      for digest in digests where try artifacts.row(digest, in: db) == nil {
        try artifacts.removeCopies(of: digest)
        let hex = digest.hex
        let shardName = String(hex.prefix(2))
        guard let shard = try shards[shardName] ?? artifacts.existingShard(shardName) else {
          continue
        }
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
  }
}

extension Artifacts {
  /// The folder of some artifacts' files, if it is there.
  func existingShard(_ name: String) throws -> Directory? {
    do {
      return try layout.folder.subdirectory(StoreLayout.artifacts, create: false)
        .subdirectory(name, create: false)
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Removes the files that were made of an artifact for viewers and players.
  fileprivate func removeCopies(of digest: SHA256Digest) throws {
    guard try layout.folder.exists(StoreLayout.cache) else { return }
    let cache = try layout.folder.subdirectory(StoreLayout.cache, create: false)
    guard try cache.exists(Self.cacheName(digest)) else { return }
    try cache.removeTree(Self.cacheName(digest))
  }
}
