extension EntryReader {
  /// Creates a reader of the entries that a session shows.
  ///
  /// - Parameters:
  ///   - session: The session that shows the entries.
  ///   - readsAttachments: Whether the entries are read with their attachments.
  ///   - readsLargeTexts: Whether texts that are kept as artifacts are read, which fails where one is lost.
  ///   - db: The tables, in a transaction.
  init(
    _ session: Session, readsAttachments: Bool = true, readsLargeTexts: Bool = true, in db: Tables
  ) {
    self.init(
      session.lineage, of: session.id, keeper: session.handle, readsAttachments: readsAttachments,
      readsLargeTexts: readsLargeTexts, in: db)
  }
}
