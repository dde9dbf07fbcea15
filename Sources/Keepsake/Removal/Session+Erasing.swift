import KeepsakeFiles
import KeepsakeSQLite

extension Session {
  /// Erases what an entry says, in all its revisions, and all that is attached to it; its place stays.
  ///
  /// What shares the entry, a fork or the session that was forked, loses it too. Bytes that another attachment uses
  /// stay. The chain still verifies, and says that something is gone; what it was can't be guessed back from it. The
  /// arguments and outputs that the runs of its calls recorded go with it. Erasing twice does nothing the second time.
  ///
  /// Costs as much as rewriting the search index, because that holds the entry's words. Others can write meanwhile.
  @concurrent @discardableResult
  public func erase(_ position: Int) async throws -> Removal {
    let session = self
    return try await core.erase { change in
      let row = try SessionRow(session, in: change.db)
      guard position >= 0, position < row.entries else {
        throw KeepsakeError.noPosition(position, in: session.id, entries: row.entries)
      }
      var erasure = try Erasure(
        of: session.lineage.id(of: position), core: session.core, in: change)
      try erasure.eraseEntry()
      return try erasure.finish()
    }
  }

  /// Erases an attachment: its bytes, captions, file name and reference. It stays where it is, as erased.
  ///
  /// Its bytes go unless another attachment has them too. Erasing twice does nothing the second time.
  @concurrent @discardableResult
  public func erase(_ attachment: Entry.Attachment) async throws -> Removal {
    let session = self
    return try await core.erase { change in
      _ = try SessionRow(session, in: change.db)
      let found = try AttachmentRow.all("number = ?", in: change.db) {
        $0.bind(attachment.recording)
      }
      guard let row = found.first, session.shows(row) else {
        throw KeepsakeError(
          .notFound,
          "'\(attachment.label)' is not an attachment of session \(session.id). Ask the session that recorded it.",
          object: attachment.label)
      }
      var erasure = try Erasure(in: row.session, core: session.core, in: change)
      try erasure.erase(row)
      return try erasure.finish()
    }
  }
}

extension StoreCore {
  /// Erases in one transaction, and then what that left behind: files, copies, words of the search index, and pages of
  /// the log.
  fileprivate func erase(
    _ body: @escaping @Sendable (Change) throws -> (removed: Removal, unused: UnusedArtifacts)
  ) async throws -> Removal {
    let (first, unused) = try await tidy(body)
    var removed = first
    removed.isComplete = try await removeTraces(
      files: unused.digests, patience: options.patience, indexPieces: .max)
    return removed
  }
}
