/// The most that a piece of work may cost.
struct WorkLimit {
  /// Its name in `KeepsakeWork`.
  let work: String
  var statements: Int
  var instructions: Int
  var scannedRows = 0
  var loggedPages = 0
  var syncs = 0
  var writes = 0
  var writtenBytes = 0
  /// Of a debug build, whose values live on the heap more often, and of a release build.
  var allocations: (debug: Int, release: Int)

  /// The limits by the names of the counts.
  func counts(build: String) -> [String: Int] {
    [
      "statements": statements, "instructions": instructions, "scannedRows": scannedRows,
      "loggedPages": loggedPages, "syncs": syncs, "writes": writes, "writtenBytes": writtenBytes,
      "allocations": build == "debug" ? allocations.debug : allocations.release,
    ]
  }
}
