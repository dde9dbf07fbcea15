import KeepsakeFiles

extension Store {
  /// Rewrites the database compactly, and gives the space of deleted content back to the disk.
  ///
  /// No other process can write meanwhile. The used content is written twice, to the log and to a temporary file, and needs
  /// that much free space; up to 32 MB are needed only once. Without compacting, new entries use the freed space, and a store
  /// with little content gives the space back on its own when it is idle.
  /// - Parameter progress: A closure that gets the progress from 0 to 1, on any thread.
  /// - Returns: The number of bytes by which the database became smaller.
  /// - Throws: A ``KeepsakeError`` with the code `diskFull` if the disk has too little room, or `readOnly` for a store that is
  ///   open for reading.
  @concurrent @discardableResult
  public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> Int64 {
    let before = try databaseSize()
    let meter = try progress.map { told in
      let (all, free) = try handle.read { try $0.files.sizes() }
      return CompactProgress(bytes: all - free, told)
    }
    let watch = meter.map { meter in Task { try await meter.watch(handle.layout) } }
    defer { watch?.cancel() }
    do {
      try await handle.exclusively(isTidying: true) { [handle] db in
        try db.files.recheckSchema()
        try SearchIndex.scrub(in: db)
        try DatabaseSpace.rewrite(db, told: meter?.wroteAside)
        try LogLine.add(.compact, [("bytes", .number(before))], at: handle.now(), in: db)
        try db.files.truncateLog()
      }
    } catch let error as KeepsakeError where error.code == .diskFull {
      throw try withoutRoom(error)
    }
    meter?.end()
    return max(0, before - (try databaseSize()))
  }

  /// Gives the space of deleted content back to the disk if it is much and that is quick.
  ///
  /// An open store does this on its own when it is idle; this function is for processes that are never idle.
  /// - Returns: The number of bytes by which the database became smaller.
  @concurrent @discardableResult
  package func giveBack() async throws -> Int64 {
    try await handle.exclusively(isTidying: true) { [handle] db in
      try db.files.recheckSchema()
      return try DatabaseSpace.giveBack(in: db, folder: handle.layout.folder)
    }
  }

  /// Makes the error for a disk that is too full to rewrite the database.
  private func withoutRoom(_ error: KeepsakeError) throws -> KeepsakeError {
    let (all, free) = try handle.read { try $0.files.sizes() }
    let needed = (all - free) * (all - free <= DatabaseSpace.little ? 1 : 2)
    let isQuota = error.isQuota
    return KeepsakeError(
      .diskFull,
      "Can't compact the store at '\(handle.layout.path)': \(isQuota ? "the disk quota is used up" : "the disk is full"), and that needs about \(ByteCount.text(needed)) of free space. New entries use what is free in it all the same; to make room for compacting, delete more, or free space elsewhere on the disk.",
      object: handle.layout.path, cause: error)
  }

  /// Returns the size of the database and the log from the folder, because only SQLite may open these files.
  private func databaseSize() throws -> Int64 {
    // allow(database-file): asks for sizes and opens nothing.
    try [StoreLayout.database, StoreLayout.log].reduce(0) {
      $0 + (try handle.layout.folder.status($1)?.size ?? 0)
    }
  }
}
