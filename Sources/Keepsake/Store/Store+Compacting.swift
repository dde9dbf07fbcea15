import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Gives the space of what was deleted back to the disk, and rewrites the database compactly.
  ///
  /// Nobody else can write meanwhile. What is in use is written twice while it runs, to the log and to a temporary file,
  /// and needs that much free space; up to 32 MB of it only once. Without it, freed space is used again by what comes, and
  /// a store in which little is left gives it back by itself when it is idle.
  /// - Parameter progress: Takes how far it is, from 0 to 1, from any thread.
  /// - Returns: How many bytes the database became smaller.
  @concurrent @discardableResult
  public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> Int64 {
    let before = try databaseSize()
    let meter = try progress.map { told in
      let (all, free) = try core.read { try DatabaseSpace.sizes(in: $0) }
      return CompactProgress(bytes: all - free, told)
    }
    let watch = meter.map { meter in Task { try await meter.watch(core.layout) } }
    defer { watch?.cancel() }
    do {
      try await core.exclusively(isTidying: true) { [core] db in
        try StoreOpening.migrator.recheck(db)
        try SearchIndex.scrub(in: db)
        try DatabaseSpace.rewrite(db, told: meter?.wroteAside)
        try LogLine.add(.compact, [("bytes", .number(before))], at: core.now(), in: db)
        _ = try db.checkpoint(.truncate)
      }
    } catch let error as KeepsakeError where error.code == .diskFull {
      throw try withoutRoom(error)
    }
    meter?.end()
    return max(0, before - (try databaseSize()))
  }

  /// Gives the space of what was deleted back to the disk, if that is much and quickly done: what an open store does by
  /// itself when it is idle, for processes that never are.
  /// - Returns: How many bytes the database became smaller.
  @concurrent @discardableResult
  package func giveBack() async throws -> Int64 {
    try await core.exclusively(isTidying: true) { [core] db in
      try StoreOpening.migrator.recheck(db)
      return try DatabaseSpace.giveBack(in: db, folder: core.layout.folder)
    }
  }

  /// What to do where the disk is too full to write the database anew.
  private func withoutRoom(_ error: KeepsakeError) throws -> KeepsakeError {
    let (all, free) = try core.read { try DatabaseSpace.sizes(in: $0) }
    let needed = (all - free) * (all - free <= DatabaseSpace.little ? 1 : 2)
    let isQuota = (error.cause as? SQLiteError)?.isQuota == true
    return KeepsakeError(
      .diskFull,
      "Can't compact the store at '\(core.layout.path)': \(isQuota ? "the disk quota is used up" : "the disk is full"), and that needs about \(ByteCount.text(needed)) of free space. New entries use what is free in it all the same; to make room for compacting, delete more, or free space elsewhere on the disk.",
      object: core.layout.path, cause: error)
  }

  /// As the folder lists it: the file itself is nobody's to open but SQLite's.
  private func databaseSize() throws -> Int64 {
    // allow(database-file): asks for sizes and opens nothing.
    try [StoreLayout.database, StoreLayout.log].reduce(0) {
      $0 + (try core.layout.folder.status($1)?.size ?? 0)
    }
  }
}
