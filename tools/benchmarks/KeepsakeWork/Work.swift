import KeepsakeWorkMeter

/// What a piece of work costs, in counts that no busy machine changes.
struct Work: Encodable {
  /// Statements that SQLite ran.
  var statements: Int64
  /// Instructions of SQLite's virtual machine.
  var instructions: Int64
  /// Rows that were read because no index led to those that were wanted.
  var scannedRows: Int64
  /// Pages written to the write-ahead log.
  var loggedPages: Int64
  /// Waits for the disk.
  var syncs: Int64
  /// Calls that gave the system something to write.
  var writes: Int64
  /// Bytes given to the system to write.
  var writtenBytes: Int64
  /// Blocks asked of the heap, by any thread.
  var allocations: Int64

  /// What the body does, all threads together.
  static func of(_ body: () async throws -> Void) async throws -> Work {
    let before = workmeter_now()
    try await body()
    let after = workmeter_now()
    return Work(
      statements: after.statements - before.statements,
      instructions: after.instructions - before.instructions,
      scannedRows: after.scanned_rows - before.scanned_rows,
      loggedPages: after.logged_pages - before.logged_pages,
      syncs: after.syncs - before.syncs,
      writes: after.writes - before.writes,
      writtenBytes: after.written_bytes - before.written_bytes,
      allocations: after.allocations - before.allocations)
  }

  /// Of each count the median: a checkpoint, or a table that had to grow, falls into few of the samples.
  static func median(of samples: [Work]) -> Work {
    func median(_ count: KeyPath<Work, Int64>) -> Int64 {
      samples.map { $0[keyPath: count] }.sorted()[samples.count / 2]
    }
    return Work(
      statements: median(\.statements), instructions: median(\.instructions),
      scannedRows: median(\.scannedRows), loggedPages: median(\.loggedPages),
      syncs: median(\.syncs), writes: median(\.writes), writtenBytes: median(\.writtenBytes),
      allocations: median(\.allocations))
  }
}
