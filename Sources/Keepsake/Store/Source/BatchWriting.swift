/// Writes the batches of an import one after the other, each while the next one is read.
struct BatchWriting {
  /// The progress of the import with the batches that are written.
  var progress: ImportProgress
  private var running: Task<ImportProgress, any Error>?

  init(_ progress: ImportProgress) { self.progress = progress }

  /// Begins to write a batch, after the batch before it is written.
  mutating func start(
    _ batch: @escaping @Sendable (ImportProgress) async throws -> ImportProgress
  ) async throws {
    try await finish()
    running = Task { [progress] in try await batch(progress) }
  }

  /// Waits until the batch that was begun is written, and throws its error if it failed.
  mutating func finish() async throws {
    guard let running else { return }
    self.running = nil
    progress = try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      running.cancel()
    }
  }
}
