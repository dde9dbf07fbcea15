#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Session {
  /// Begins a session that shares this session's entries before a position and goes its own way from there.
  ///
  /// No entry is copied. Later revisions of the shared entries, and later attachments to them in this session, do not
  /// show in the fork. What is erased is erased in both. The fork takes over the tags and the metadata as they are now;
  /// from then on each session has its own. The cost grows with the number of shared attachments.
  /// - Parameters:
  ///   - position: The first position of the fork's own; nil to share all entries.
  ///   - title: The title of the fork; nil to take over this session's title.
  ///   - id: The id of the fork.
  /// - Returns: The fork.
  /// - Throws: ``KeepsakeError``: `outOfRange` if the session has no such position, `conflict` if another session has
  ///   the id.
  @concurrent
  public func fork(before position: Int? = nil, title: String? = nil, id: UUID = UUID())
    async throws
    -> Session
  {
    let session = self
    let handle = handle
    return try await handle.makeSession(id, from: self.id) { change in
      let row = try SessionRow(session, in: change.db)
      let fork = try session.insertFork(
        id, before: position ?? row.entries, row: row, title: title, in: change.db)
      change.publish(.created(session: id))
      return fork
    }
  }

  /// Inserts a fork inside of a write transaction.
  /// - Parameters:
  ///   - id: The id of the fork.
  ///   - position: The first position of the fork's own.
  ///   - row: The row of this session.
  ///   - title: The title of the fork; nil to take over this session's title.
  ///   - foreignID: The id of the fork in a foreign program.
  ///   - isHidden: Whether the fork stays hidden until an import ends.
  func insertFork(
    _ id: UUID, before position: Int, row: SessionRow, title: String?, foreignID: String? = nil,
    isHidden: Bool = false, in db: Tables
  ) throws -> Session {
    try Store.requireFree(id, in: db)
    guard position >= 0, position <= row.entries else {
      throw KeepsakeError.noPosition(position, in: self.id, entries: row.entries)
    }
    let pieces = try pieces(sharedBefore: position, row: row, in: db)
    let parent = pieces[pieces.count - 1]
    let point = try point(parent, row: row, in: db)
    let number = try db.sessions.insert(
      SessionTable.NewFork(
        id: id, created: handle.now(), source: number, parent: parent.session, position: position,
        point: point,
        turns: turns(before: position, areOverlapping: row.hasOverlappingTurns, in: db),
        title: title, foreignID: foreignID, presence: isHidden ? .importing : .shown))
    let fork = try Session(id: id, number: number, handle: handle, in: db)
    try fork.describe(as: self, row, in: db)
    return fork
  }

  /// Lists the sessions that were forked from entries of this session's own, in the order of their first positions.
  ///
  /// A fork at an entry that this session only shares is listed by the session that owns the entry.
  @concurrent
  public func forks() async throws -> [Summary] {
    try await handle.refresh(having: .fork(of: id))
    return try handle.read { db in
      _ = try SessionRow(self, in: db)
      return try SessionList.forks(of: number, in: db)
    }
  }

  /// Lists the sessions that share the entries before a position and have an entry of their own there, the oldest
  /// first.
  ///
  /// This session is among them if it has an entry there. A view can use the list to offer several answers to one
  /// prompt: `2 of 3`. The cost grows with the number of sessions that are returned, and not with other forks.
  @concurrent
  public func alternatives(at position: Int) async throws -> [Summary] {
    try await handle.refreshFamily(of: id)
    return try handle.read { db in
      let entries = try SessionRow(self, in: db).entries
      guard position >= 0, position <= entries else {
        throw KeepsakeError.noPosition(position, in: id, entries: entries)
      }
      // Each session that lends this one entries up to the position may have gone on by itself, and so may its other
      // forks.
      let pieces = lineage.pieces.filter { $0.start <= position && position <= $0.end }
      var known: Set<UUID> = []
      return try pieces.flatMap {
        try SessionList.alternatives(to: $0.session, at: position, in: db)
      }.filter { known.insert($0.id).inserted }
        .sorted { ($0.created, $0.id.uuidString) < ($1.created, $1.id.uuidString) }
    }
  }

  /// Returns the pieces of this session that a fork shows something of. The last of them becomes the fork's parent.
  ///
  /// Pieces at the end that give the fork neither an entry nor an attachment are left out. Otherwise, forking again and
  /// again at the same position would make the way to the root longer each time.
  private func pieces(sharedBefore position: Int, row: SessionRow, in db: Tables) throws
    -> ArraySlice<Lineage.Piece>
  {
    var pieces = lineage.pieces[...]
    while pieces.count > 1, let last = pieces.last, last.start >= position {
      if try db.attachments.hasAny(in: last, sharedBefore: position) { break }
      pieces.removeLast()
    }
    return pieces
  }

  /// Returns the chain of a fork's parent, as it stands now, or as it stood when this session forked off.
  private func point(_ parent: Lineage.Piece, row: SessionRow, in db: Tables) throws -> Chain {
    if parent.session == number { return row.chain.end }
    guard let changes = parent.changes else {
      throw KeepsakeError(.damaged, "A fork does not know where it forked.", remedy: .verify)
    }
    // The fork that pinned the parent at this change kept the head that it had then.
    guard let head = try db.sessions.forkHead(of: parent.session, at: changes) else {
      throw KeepsakeError(.damaged, "A fork has lost the link it forked at.", remedy: .verify)
    }
    return Chain(head: head, count: changes)
  }

  /// Counts the turns before a position.
  func turns(before position: Int, areOverlapping: Bool, in db: Tables) throws -> Int {
    try db.entries.newestTurn(before: position, in: lineage, areOverlapping: areOverlapping)
  }
}

// MARK: - What a list shows of it

extension Session {
  /// Fills in the facts that lists show of a new fork, and copies its parent's tags and metadata.
  private func describe(as parent: Session, _ row: SessionRow, in db: Tables) throws {
    var fork = try SessionRow(self, in: db)
    fork.set(preview: try preview(below: fork.entries, in: db))
    if row.model != nil { fork.model = try model(below: fork.entries, in: db) }
    if row.attachments > 0 {
      fork.attachments = try Self.sharedCount(lineage.shared, in: db)
      // So that new labels go on counting where the shared ones end.
      fork.labels = fork.attachments
      fork.cover = try firstSharedImage(in: db)
    }
    try fork.save(in: db)
    try db.sessions.copyDescription(from: parent.number, to: number)
  }

  /// Returns the beginning of the first prompt before a position that was not erased.
  ///
  /// Prompts that a program wrote to the model are passed over.
  func preview(below end: Int, in db: Tables) throws -> String? {
    guard let position = try firstPrompt(below: end, in: db) else { return nil }
    return try EntryReader(self, in: db).entries(position..<(position + 1)).first?.preview
  }

  /// Finds the position of the first prompt before another position that was not erased, as ``preview(below:in:)`` does.
  func firstPrompt(below end: Int, in db: Tables) throws -> Int? {
    let start = try EntryReader(self, in: db).beginningOfTurns(below: end)
    for stretch in lineage.stretches(start..<end) {
      let range = EntryID.range(stretch.positions, of: stretch.piece.session)
      if let found = try db.entries.firstPrompt(in: range) { return found.position }
    }
    return nil
  }

  /// Returns the model of the last response before a position that names a model.
  func model(below end: Int, in db: Tables) throws -> String? {
    for stretch in lineage.stretches(0..<end).reversed() {
      let range = EntryID.range(stretch.positions, of: stretch.piece.session)
      if let model = try db.entries.lastModel(in: range) { return model }
    }
    return nil
  }

  /// Returns the number of the shared image that was recorded first.
  func firstSharedImage(in db: Tables) throws -> Int64? {
    try db.attachments.firstSharedImage(lineage.shared)
  }
}
