#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Reads a page of the session's attachments, in the order of ``attachments()``.
  ///
  /// A page reads about as many attachments as it has, and an index with the numbers of all.
  /// - Parameters:
  ///   - limit: The most attachments of the page, at least 1.
  ///   - cursor: The cursor that the page before gave; nil for the first page.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted, `invalid` for a cursor of another session.
  @concurrent
  package func attachments(
    limit: Int, after cursor: RecordedPage<Entry.Attachment>.Cursor?
  ) async throws -> RecordedPage<Entry.Attachment> {
    try handle.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return try attachments(limit: limit, after: cursor, in: db)
    }
  }

  func attachments(
    limit: Int, after cursor: RecordedPage<Entry.Attachment>.Cursor?, in db: Tables
  ) throws -> RecordedPage<Entry.Attachment> {
    let limit = min(max(1, limit), .max - 1)
    let reader = AttachmentReader(handle, in: db)
    var found: [(place: RecordedPage<Entry.Attachment>.Cursor, element: Entry.Attachment)] = []
    for piece in try pieces(from: cursor?.session) where found.count <= limit {
      let number = piece.session == cursor?.session ? cursor?.number ?? 0 : 0
      let missing = limit + 1 - found.count
      let rows =
        piece.session == lineage.session
        ? try reader.page(recordedIn: piece.session, after: number, atMost: missing)
        : try reader.page(sharedIn: piece, after: number, atMost: missing)
      found += rows.map { (.init(session: piece.session, number: $0.row.number), $0.value) }
    }
    return RecordedPage(found, limit: limit)
  }

  /// Reads a page of the runs of this session, the oldest first.
  /// - Parameters:
  ///   - running: Whether only those are listed that have not ended.
  ///   - limit: The most runs of the page, at least 1.
  ///   - cursor: The cursor that the page before gave; nil for the first page.
  /// - Throws: ``KeepsakeError``: `invalid` for a cursor of another session.
  @concurrent
  package func invocations(
    running: Bool = false, limit: Int, after cursor: RecordedPage<Invocation>.Cursor?
  ) async throws -> RecordedPage<Invocation> {
    try handle.read { db in
      try invocations(running: running, limit: limit, after: cursor, in: db)
    }
  }

  func invocations(
    running: Bool, limit: Int, after cursor: RecordedPage<Invocation>.Cursor?, in db: Tables
  ) throws -> RecordedPage<Invocation> {
    let limit = min(max(1, limit), .max - 1)
    let after = cursor?.number ?? 0
    if let cursor, cursor.session != number { throw foreignCursor }
    var rows: [InvocationRow] = []
    if running {
      for run in try Running.numbers(.invocation, of: number, handle: handle, in: db)
      where run > after && rows.count <= limit {
        if let row = try InvocationRow.find(run, in: db) { rows.append(row) }
      }
    } else {
      rows = try db.invocations.rows(of: number, after: after, atMost: limit + 1)
    }
    return RecordedPage(
      rows.map { (.init(session: number, number: $0.number), $0.value(session: id)) },
      limit: limit)
  }

  /// Returns the pieces of the lineage from that of a session on; all of them for nil.
  private func pieces(from session: Int64?) throws -> ArraySlice<Lineage.Piece> {
    guard let session else { return lineage.pieces[...] }
    guard let piece = lineage.pieces.firstIndex(where: { $0.session == session }) else {
      throw foreignCursor
    }
    return lineage.pieces[piece...]
  }

  private var foreignCursor: KeepsakeError {
    KeepsakeError(
      .invalid, "The cursor is of another session's list. Ask with one that session \(id) gave.",
      object: id.uuidString)
  }
}
