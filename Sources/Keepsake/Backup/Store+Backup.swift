#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Makes a copy of the store as it is at one moment, and checks the copy; others may write meanwhile.
  ///
  /// The copy is a store of its own, with the same chains and heads. It appears at its place only when it is complete, durable,
  /// and checked to the byte. A damaged store is copied as far as possible, so check whether the report is sound. During the
  /// backup nothing can be erased or swept, and the log grows with what others write.
  /// - Parameters:
  ///   - url: The folder for the copy, which must not exist or be empty.
  ///   - progress: A closure that gets the progress.
  /// - Returns: The place and the check of the copy.
  /// - Throws: A ``KeepsakeError`` if the copy can't be written, or the folder is not free.
  @concurrent
  public func backup(
    to url: URL, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws -> BackupReport {
    try core.requireOpen()
    var path = try FilePlace.path(of: url)
    do {
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      try Self.requireFree(path)
      let new = try NewStoreFolder(path: path, options: core.options)
      do {
        let backup = Backup(core: core, copy: new.layout, progress: progress)
        // Sweeps and erasures wait, so that the files of the snapshot stay.
        let (bytes, report) = try await core.withoutSweeps { try await backup.run() }
        try new.finish()
        return BackupReport(url: url, bytes: bytes, report: report)
      } catch {
        // The first error is the one to report.
        try? new.remove()
        throw error
      }
    } catch { throw KeepsakeError.wrap(error, store: url.path) }
  }

  private static func requireFree(_ path: String) throws {
    do {
      if try Directory(path: path).names().isEmpty { return }
    } catch {
      if error.code == .notFound { return }
      guard error.code == .notDirectory || error.code == .notRegular else { throw error }
    }
    throw KeepsakeError(
      .conflict,
      "Can't back up to '\(path)': something is there already, and a backup replaces nothing. Name a folder that is not there.",
      object: path)
  }
}

/// A run of a backup, which copies the database, then the files that it names, and then checks both.
private struct Backup {
  let core: StoreCore
  let copy: StoreLayout
  let progress: (@Sendable (BackupProgress) -> Void)?

  func run() async throws -> (bytes: Int64, report: VerifyReport) {
    let database = try database()
    let store = try Store(
      path: copy.folder.path, options: .readOnly, registry: StoreRegistry())
    do {
      let artifacts = try artifacts(of: store.core)
      let report = try await store.verify(.init(database: .full, readData: true)) {
        if $0.phase == .database { return }
        progress?(BackupProgress(phase: .verifying, done: Int64($0.done), total: Int64($0.total)))
      }
      await store.close()
      return (database + artifacts, report)
    } catch {
      await store.close()
      throw error
    }
  }

  private func database() throws -> Int64 {
    try core.read { db in
      let page = try db.integer("PRAGMA page_size") ?? 4096
      try db.connection.backup(to: copy.databasePath) { done, total in
        try Task.checkCancellation()
        progress?(
          BackupProgress(
            phase: .database, done: Int64(done) * page, total: Int64(total) * page))
      }
    }
    return try copy.folder.status(StoreLayout.database)?.size ?? 0
  }

  /// Copies the files that the copied database names, and returns their size.
  private func artifacts(of store: StoreCore) throws -> Int64 {
    let total = try store.read {
      try $0.integer("SELECT coalesce(sum(size), 0) FROM artifact WHERE place = 1")
    }
    var done: Int64 = 0
    var last: Int64 = 0
    var shards: [String: Directory] = [:]
    while true {
      let rows = try page(after: last, in: store)
      guard let end = rows.last?.number else { break }
      last = end
      for row in rows {
        try Task.checkCancellation()
        let (shard, name) = try store.artifacts.madeShard(of: row.digest)
        shards[shard.path] = shard
        if try take(row, to: shard, as: name) { done.addBytes(row.size) }
        progress?(BackupProgress(phase: .artifacts, done: done, total: total ?? 0))
      }
    }
    for shard in shards.values { try shard.sync() }
    if !shards.isEmpty { try store.artifacts.folder(StoreLayout.artifacts).sync() }
    return done
  }

  private func page(after last: Int64, in store: StoreCore) throws -> [(
    number: Int64, digest: SHA256Digest, size: Int64
  )] {
    try store.read { db in
      let find = try db.prepare(
        """
        SELECT number, digest, size FROM artifact WHERE place = 1 AND number > ?
        ORDER BY number LIMIT 256
        """)
      find.bind(last)
      var rows: [(Int64, SHA256Digest, Int64)] = []
      while try find.step() {
        if let digest = find.digest(1) {
          rows.append((find.int64(0), digest, try find.int64(2, in: .size)))
        }
      }
      return rows
    }
  }

  /// Copies a file; returns false if the store does not have the right bytes, which the check of the copy then reports.
  private func take(
    _ row: (number: Int64, digest: SHA256Digest, size: Int64), to shard: Directory, as name: String
  ) throws -> Bool {
    let source: Directory
    let digest: SHA256Digest
    do {
      source = try core.artifacts.shard(of: row.digest).folder
      let file = try source.openFile(name, for: .reading)
      digest = try Ingest.copy(from: file, to: shard, name: name).digest
    } catch let error as FileError
      where [.notFound, .notRegular, .link, .changed].contains(error.code)
    {
      return false
    }
    if digest == row.digest { return true }
    try shard.unlink(name)
    return false
  }
}
