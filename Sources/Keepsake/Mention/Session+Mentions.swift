import KeepsakeSQLite

extension Session {
  /// What one string means that is a reference in any spelling: a path or URL that a tool returned, a label, a name.
  ///
  /// Quick enough for a view to ask for each image that it draws: what the session's attachments are called is read
  /// when they have changed since the last time, and kept. No path is opened. See ``MentionIndex`` for what is found.
  @concurrent
  public func resolve(_ string: String) async throws -> Mention.Resolution {
    try core.read { db in
      let table = try core.referenceTables.table(of: self, in: db)
      return try resolution(table.resolve(string), table, in: db)
    }
  }

  /// The labels and references that stand in an entry of this session, with what they mean.
  ///
  /// For many entries, ask ``mentionIndex()`` once.
  ///
  /// - Parameters:
  ///   - entry: An entry of this session.
  ///   - unknown: Whether what looks like a path, or like one of the session's labels, and is none is given too.
  @concurrent
  public func mentions(in entry: Entry, unknown: Bool = false) async throws -> [Mention] {
    try core.read { db in
      let table = try core.referenceTables.table(of: self, in: db)
      var found: [EntryMentions.Found] = []
      EntryMentions(table, unknown: unknown).forEach(in: entry) { found.append($0) }
      return try found.map {
        Mention(
          place: $0.place, spelling: $0.spelling,
          resolution: try resolution($0.found.meaning, table, in: db))
      }
    }
  }

  /// What all of its attachments are called, for looking through many texts. It stays as the session is now.
  @concurrent
  public func mentionIndex() async throws -> MentionIndex {
    try core.read { db in
      _ = try SessionRow.entries(of: self, in: db)
      return MentionIndex(try attachments(in: db))
    }
  }

  private func resolution(
    _ meaning: MentionScan.Meaning, _ table: ReferenceTable, in db: Connection
  ) throws -> Mention.Resolution {
    switch meaning {
    case .one(let subject, let match):
      try attachment(table, subject, in: db).map { .attachment($0, match) } ?? .unknown
    case .several(let subjects):
      .ambiguous(try subjects.compactMap { try attachment(table, $0, in: db) })
    case .unknown: .unknown
    }
  }

  private func attachment(_ table: ReferenceTable, _ subject: Int, in db: Connection) throws
    -> Entry.Attachment?
  {
    let recording = table.subjects[subject].recording
    return try AttachmentReader(core, in: db).read(where: "a.number = ?1") {
      $0.bind(recording)
    }.first?.value
  }
}
