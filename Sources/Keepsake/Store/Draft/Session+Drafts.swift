#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Begins an entry that streams; the draft is durable when this returns.
  ///
  /// - Parameters:
  ///   - kind: The kind of the entry.
  ///   - lane: The lane of the entry.
  ///   - model: The model that makes the entry.
  /// - Returns: The draft, to be updated and finished.
  /// - Throws: A ``KeepsakeError`` if the store can't be written.
  @concurrent
  public func draft(_ kind: Entry.Kind = .response, lane: String? = nil, model: String? = nil)
    async throws -> Draft
  {
    var template = Entry(kind)
    template.lane = lane
    template.model = model
    return try await draft(template)
  }

  /// Begins an entry that streams, with the properties of a template.
  ///
  /// - Parameter template: An entry without content, whose properties the finished entry gets.
  /// - Returns: The draft, to be updated and finished.
  /// - Throws: A ``KeepsakeError`` if the store can't be written.
  @concurrent
  public func draft(_ template: Entry) async throws -> Draft {
    let session = self
    let owner = try handle.instance()
    let json = template.json.text
    return try await handle.write { change in
      var row = try SessionRow(session, in: change.db)
      let turn = try session.currentTurn(of: template.lane, row: &row, in: change.db)
      let number = try change.db.drafts.insert(
        template.id, turn: turn, template: json, owner: owner, of: session.number)
      let draft = Draft(session: session, number: number, template: template)
      change.publish(.draft(session: session.id, draft.snapshot))
      return draft
    }
  }

  /// Returns the session's drafts: those that stream now, and those that a crash interrupted.
  ///
  /// - Returns: The drafts, oldest first.
  /// - Throws: A ``KeepsakeError`` if the session can't be read.
  @concurrent
  public func drafts() async throws -> [Draft.Snapshot] {
    try handle.read { db in
      _ = try SessionRow(self, in: db)
      return try storedDrafts(in: db).map(\.snapshot)
    }
  }

  /// Makes an interrupted draft the session's next entry, with the status `interrupted`.
  ///
  /// - Parameter draft: The interrupted draft.
  /// - Returns: The stored entry.
  /// - Throws: A ``KeepsakeError`` if the draft is gone, or still streams.
  @concurrent @discardableResult
  public func keep(_ draft: Draft.Snapshot) async throws -> Entry {
    let (number, template) = try await stored(draft)
    var entry = template.filled(text: draft.text, schema: draft.schema)
    entry.status = .interrupted
    return try await end(draft: number, id: draft.id, as: entry)
  }

  /// Removes an interrupted draft and its text.
  ///
  /// - Parameter draft: The interrupted draft.
  /// - Throws: A ``KeepsakeError`` if the draft is gone, or still streams.
  @concurrent
  public func discard(_ draft: Draft.Snapshot) async throws {
    let (number, _) = try await stored(draft)
    let session = self
    try await handle.writeUncancelled { change in
      try change.db.drafts.delete(number)
      change.publish(.draftEnded(session: session.id, draft: draft.id, position: nil))
    }
  }

  private func stored(_ draft: Draft.Snapshot) async throws -> (number: Int64, template: Entry) {
    let found = try handle.read { db in
      try storedDrafts(in: db).first { $0.snapshot.id == draft.id }
    }
    guard let found else {
      throw KeepsakeError(
        .notFound, "Session \(id) has no draft \(draft.id).", object: draft.id.uuidString)
    }
    guard found.snapshot.isInterrupted else {
      throw KeepsakeError(
        .conflict, "Draft \(draft.id) is still streaming. End it where it streams.",
        object: draft.id.uuidString)
    }
    return (found.number, found.template)
  }

  /// Replaces a draft with an entry, in one transaction.
  func end(draft: Int64, id: UUID, as entry: Entry) async throws -> Entry {
    var prepared = try PreparedAppend(entry)
    try await handle.takeIn(&prepared, isCancellable: false)
    let session = self
    return try await handle.write(
      prepared, in: self.id, bytes: prepared.size, isCancellable: false
    ) {
      prepared, change in
      let stored = try session.insert([prepared], in: change)[0]
      let position = stored.position
      try change.locally { change in
        try change.db.drafts.delete(draft)
        change.publish(.draftEnded(session: session.id, draft: id, position: position))
      }
      return stored
    }
  }

  /// Reads the drafts of the session, the oldest first.
  func storedDrafts(in db: Tables) throws -> [(
    number: Int64, template: Entry, snapshot: Draft.Snapshot
  )] {
    try db.drafts.rows(of: number).map { row in
      let snapshot = Draft.Snapshot(
        of: row.template, text: row.text, schema: row.schema,
        isInterrupted: try !handle.isAlive(row.owner))
      return (row.number, row.template, snapshot)
    }
  }
}
