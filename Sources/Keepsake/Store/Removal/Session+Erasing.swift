#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Session {
  /// Erases the content of an entry, with all revisions and attachments. The entry keeps its position.
  ///
  /// All sessions that share the entry lose its content. Bytes that another attachment uses stay. The arguments and
  /// outputs that runs of the entry's calls recorded are erased, too. The chain still verifies, and shows that
  /// something was erased, but the content can't be guessed from it. Erasing an entry again does nothing.
  ///
  /// This costs as much as rewriting the search index, which holds the entry's words. Others can write meanwhile.
  /// - Throws: ``KeepsakeError``: `outOfRange` if there is no such position, `notFound` if the session was deleted.
  @concurrent @discardableResult
  public func erase(_ position: Int) async throws -> Removal {
    let session = self
    return try await handle.erase(in: id) { change in
      let row = try SessionRow(session, in: change.db)
      guard position >= 0, position < row.entries else {
        throw KeepsakeError.noPosition(position, in: session.id, entries: row.entries)
      }
      var erasure = try Erasure(
        of: session.lineage.id(of: position), handle: session.handle, in: change)
      try erasure.eraseEntry()
      return try erasure.finish()
    }
  }

  /// Erases an attachment: its bytes, captions, file name and reference. It keeps its place, with the state `erased`.
  ///
  /// The bytes stay if another attachment has them, too. Erasing an attachment again does nothing.
  @concurrent @discardableResult
  public func erase(_ attachment: Entry.Attachment) async throws -> Removal {
    let session = self
    return try await handle.erase(in: id) { change in
      _ = try SessionRow(session, in: change.db)
      guard let row = try change.db.attachments.row(attachment.recording), session.shows(row)
      else {
        throw KeepsakeError(
          .notFound,
          "'\(attachment.label)' is not an attachment of session \(session.id). Ask the session that recorded it.",
          object: attachment.label)
      }
      var erasure = try Erasure(in: row.session, handle: session.handle, in: change)
      try erasure.erase(row)
      return try erasure.finish()
    }
  }
}

extension StoreHandle {
  /// Erases in one transaction, and then removes what is left: files, copies, words in the search index, pages of the
  /// log.
  fileprivate func erase(
    in session: UUID,
    _ body: @escaping @Sendable (Change) throws -> (removed: Removal, unused: UnusedArtifacts)
  ) async throws -> Removal {
    try requireHub()
    if let sharing = store.sharing { return try await sharing.erase(in: session, for: self, body) }
    let (first, unused) = try await tidy(body)
    var removed = first
    removed.isComplete = try await removeTraces(
      files: unused.digests, patience: options.patience, indexPieces: .max)
    return removed
  }
}
