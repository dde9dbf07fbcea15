import KeepsakeBenchReport

/// Something that is measured: it gives one row or several.
struct Measure: Measured, Sendable {
  /// The names of its rows, for `--only` and `--list`.
  let names: [String]
  /// Runs only where every wait for the disk is made longer.
  var isForSlowDisk = false
  let run: @Sendable (Workshop, [String]) async throws -> [Row]

  static let all: [Measure] =
    [memory, append, batch, concurrency, slowConcurrency, processes, writtenBytes]
    + smallPuts + largePuts
    + [knownPut, heldActor, scan, reload, images, largeRead, smallRead, pinned, growth]
    + [indexing, searchEffect, resuming, disk, command, importing, repeats, watching, commits]
}
