extension Session {
  /// Resolves a reference in any spelling: a path or URL that a tool returned, a label, or a file name.
  ///
  /// A view can call this for each image that it draws, because the names of the attachments are kept until the attachments
  /// change. No path is opened. ``MentionIndex`` tells which mentions are found.
  /// - Parameter string: The reference.
  /// - Returns: The attachment that the string means, or the reason why there is not exactly one.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func resolve(_ string: String) async throws -> Mention.Resolution {
    try handle.read { db in
      let table = try handle.referenceTables.table(of: self, in: db)
      return try resolution(table.resolve(string), table, in: db)
    }
  }

  /// Finds the labels and references in an entry, with the attachments that they mean.
  ///
  /// For many entries, make a ``mentionIndex()`` once.
  /// - Parameters:
  ///   - entry: An entry of this session.
  ///   - unknown: Whether to include text that looks like a path or a label of the session and means no attachment.
  /// - Returns: The mentions, in order.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func mentions(in entry: Entry, unknown: Bool = false) async throws -> [Mention] {
    try handle.read { db in
      let table = try handle.referenceTables.table(of: self, in: db)
      var found: [EntryMentions.Found] = []
      EntryMentions(table, unknown: unknown).forEach(in: entry) { found.append($0) }
      return try found.map {
        Mention(
          place: $0.place, spelling: $0.spelling,
          resolution: try resolution($0.found.meaning, table, in: db))
      }
    }
  }

  /// Makes an index of all names of the session's attachments, for searching many texts. It does not change with the session.
  ///
  /// - Returns: The index.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func mentionIndex() async throws -> MentionIndex {
    try handle.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return MentionIndex(try attachments(in: db))
    }
  }

  private func resolution(
    _ meaning: MentionScan.Meaning, _ table: ReferenceTable, in db: Tables
  ) throws -> Mention.Resolution {
    switch meaning {
    case .one(let subject, let match):
      try attachment(table, subject, in: db).map { .attachment($0, match) } ?? .unknown
    case .several(let subjects):
      .ambiguous(try subjects.compactMap { try attachment(table, $0, in: db) })
    case .unknown: .unknown
    }
  }

  private func attachment(_ table: ReferenceTable, _ subject: Int, in db: Tables) throws
    -> Entry.Attachment?
  {
    let recording = table.subjects[subject].recording
    return try AttachmentReader(handle, in: db).row(recording)?.value
  }
}
