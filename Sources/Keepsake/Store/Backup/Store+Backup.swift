#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

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
    try handle.requireOpen()
    var path = try FilePlace.path(of: url)
    do {
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      try Self.requireFree(path)
      let new = try NewStoreFolder(path: path, options: handle.options)
      do {
        let backup = Backup(handle: handle, copy: new.layout, progress: progress)
        // Sweeps and erasures wait, so that the files of the snapshot stay.
        let (bytes, report) = try await handle.withoutSweeps { try await backup.run() }
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
  let handle: StoreHandle
  let copy: StoreLayout
  let progress: (@Sendable (BackupProgress) -> Void)?

  func run() async throws -> (bytes: Int64, report: VerifyReport) {
    let database = try database()
    let store = try Store(
      path: copy.folder.path, options: .readOnly, registry: StoreRegistry())
    do {
      let artifacts = try artifacts(of: store.handle)
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
    try handle.read { db in
      try db.files.copy(to: copy.databasePath) { done, total in
        try Task.checkCancellation()
        progress?(BackupProgress(phase: .database, done: done, total: total))
      }
    }
    return try copy.folder.status(StoreLayout.database)?.size ?? 0
  }

  /// Copies the files that the copied database names, and returns their size.
  private func artifacts(of store: StoreHandle) throws -> Int64 {
    let total = try store.read { try $0.artifacts.largeBytes() }
    var done: Int64 = 0
    var last: Int64 = 0
    var shards: [String: Directory] = [:]
    while true {
      let rows = try store.read { try $0.artifacts.large(after: last) }
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

  /// Copies a file; returns false if the store does not have the right bytes, which the check of the copy then reports.
  private func take(
    _ row: ArtifactTable.Large, to shard: Directory, as name: String
  ) throws -> Bool {
    let source: Directory
    let digest: SHA256Digest
    do {
      source = try handle.artifacts.shard(of: row.digest).folder
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
