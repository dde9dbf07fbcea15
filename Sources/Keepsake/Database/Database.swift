import KeepsakeFiles
import KeepsakeSQLite

/// The database of an open store: its one writer and its readers.
///
/// The errors that its functions throw are those of SQLite and of the writer; ``KeepsakeError/wrap(_:store:)`` turns them into
/// errors about the store.
final class Database: Sendable {
  /// The readers of the database.
  let readers: ReaderPool
  /// The writer; nil in a database that is open for reading.
  let writer: Writer?
  private let listing: ChangeListing?

  init(readers: ReaderPool, writer: Writer?, listing: ChangeListing? = nil) {
    self.readers = readers
    self.writer = writer
    self.listing = listing
  }

  /// Tells in a write transaction whether the store is the cache of a hub's sessions.
  var isShared: Bool { listing?.isShared ?? false }

  var isWritable: Bool { writer != nil }

  /// Finishes the queued requests and gives up every lock; the next call takes what it needs again.
  func rest() async {
    await writer?.rest()
    readers.rest()
  }

  /// Finishes the queued requests and closes the writer; reading goes on.
  func closeWriter() async { await writer?.close() }

  /// Closes the readers, when no more is read.
  func closeReaders() { readers.close() }
}

// MARK: - Reading

extension Database {
  /// Runs the body on the calling thread in a read transaction, in which all statements see one snapshot.
  func read<Result>(_ body: (Tables) throws -> Result) throws -> Result {
    try readers.read { try body(Tables($0)) }
  }

  /// Runs the body like ``read(_:)``, until somebody calls the stop.
  func read<Result>(until stop: ReadStop, _ body: (Tables) throws -> Result) throws -> Result {
    try readers.read { db in try stop.during(db.interrupter) { try body(Tables(db)) } }
  }

  /// Runs the body on the calling thread without a transaction, so that each statement sees a snapshot of its own.
  func readEach<Result>(_ body: (Tables) throws -> Result) throws -> Result {
    try readers.readEach { try body(Tables($0)) }
  }
}

// MARK: - Writing

extension Database {
  private func openWriter() throws -> Writer {
    guard let writer else { throw WriterError.closed }
    return writer
  }

  /// Does the work in the writer's next transaction; it is durable when this returns.
  ///
  /// - Parameters:
  ///   - work: The work of the request.
  ///   - bytes: About how many bytes the work writes.
  ///   - meanwhile: A closure that runs on the caller's thread at the same time; the work may wait for it.
  /// - Returns: The result of the work.
  func write<Work: WriteWork>(
    _ work: Work, bytes: Int = 0, meanwhile: (@Sendable () -> Void)? = nil
  ) async throws -> Work.Result {
    try await openWriter().write(bytes: bytes, meanwhile: meanwhile) {
      try work.run(in: WriteTables($0))
    }
  }

  /// Does the work like ``write(_:bytes:meanwhile:)``, but ignores the task's cancellation, for endings.
  func writeUncancelled<Work: WriteWork>(_ work: Work, bytes: Int = 0) async throws -> Work.Result {
    try await openWriter().writeUncancelled(bytes: bytes) { try work.run(in: WriteTables($0)) }
  }

  /// Does the work like ``write(_:bytes:meanwhile:)``, but fails at once while another process writes.
  func writeImpatiently<Work: WriteWork>(_ work: Work) async throws -> Work.Result {
    try await openWriter().writeImpatiently { try work.run(in: WriteTables($0)) }
  }

  /// Does small work at once on this thread; nil, without doing it, when somebody else writes. Blocks, and must not be called inside
  /// of a write.
  func writeAtOnce<Result>(bytes: Int, _ work: (WriteTables) throws -> Result) throws -> Result? {
    try openWriter().writeAtOnce(bytes: bytes) { try work(WriteTables($0)) }
  }

  /// Gives way to other tasks if work was done on the threads of its callers many times in a row.
  func pauseIfDue() async { await writer?.pauseIfDue() }

  /// Does work that frees space, which on a full disk may use the room that is kept for deletions.
  func tidy<Work: WriteWork>(_ work: Work) async throws -> Work.Result {
    try await openWriter().tidy { try work.run(in: WriteTables($0)) }
  }

  /// Runs the body outside a transaction, while no other process writes.
  func exclusively<Result: Sendable>(
    isTidying: Bool, _ body: @escaping @Sendable (Tables) throws -> Result
  ) async throws -> Result {
    try await openWriter().exclusively(isTidying: isTidying) { try body(Tables($0)) }
  }

  /// Does the work in a transaction that is rolled back at the end.
  /// - Parameters:
  ///   - bytes: About how many bytes the work writes.
  ///   - work: The work.
  func rehearse<Result: Sendable>(
    bytes: Int = 0, _ work: @escaping @Sendable (WriteTables) throws -> Result
  ) async throws -> Result {
    try await openWriter().rehearse(bytes: bytes) { try work(WriteTables($0)) }
  }

  /// Runs an empty transaction, which begins as each one does. Blocks, and must not be called inside of a write.
  func writeNothing() throws { try openWriter().writeBlocking { _ in } }
}
