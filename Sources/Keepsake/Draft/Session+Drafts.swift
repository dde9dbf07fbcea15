#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

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
    let owner = try core.instance()
    let json = template.json.text
    return try await core.write { change in
      var row = try SessionRow(session, in: change.db)
      let turn = try session.currentTurn(of: template.lane, row: &row, in: change.db)
      let insert = try change.db.prepare(
        """
        INSERT INTO draft (session, uuid, turn, template, owner) VALUES (?, ?, ?, ?, ?)
        """)
      insert.bind(session.number)
      insert.bind(template.id.bytes)
      insert.bind(turn)
      insert.bind(json)
      insert.bind(owner.bytes)
      try insert.run()
      let draft = Draft(
        session: session, number: try change.db.insertedRow(in: .row), template: template)
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
    try core.read { db in
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
    try await core.writeUncancelled { change in
      try session.delete(draft: number, in: change.db)
      change.publish(.draftEnded(session: session.id, draft: draft.id, position: nil))
    }
  }

  private func stored(_ draft: Draft.Snapshot) async throws -> (number: Int64, template: Entry) {
    let found = try core.read { db in try storedDrafts(in: db).first { $0.snapshot.id == draft.id }
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
    try await core.takeIn(&prepared, isCancellable: false)
    let session = self
    return try await core.write(prepared, bytes: prepared.size, isCancellable: false) {
      prepared, change in
      try session.delete(draft: draft, in: change.db)
      let stored = try session.insert([prepared], in: change)[0]
      change.publish(.draftEnded(session: session.id, draft: id, position: stored.position))
      return stored
    }
  }

  func delete(draft: Int64, in db: Tables) throws {
    for sql in ["DELETE FROM draft_piece WHERE draft = ?", "DELETE FROM draft WHERE number = ?"] {
      let delete = try db.prepare(text: sql)
      delete.bind(draft)
      try delete.run()
    }
  }

  func storedDrafts(in db: Tables) throws -> [(
    number: Int64, template: Entry, snapshot: Draft.Snapshot
  )] {
    let find = try db.prepare(
      """
      SELECT number, uuid, template, schema, owner FROM draft WHERE session = ? ORDER BY number
      """)
    find.bind(number)
    var drafts: [(Int64, Entry, Draft.Snapshot)] = []
    while try find.step() {
      let number = find.int64(0)
      guard let id = UUID(bytes: find.bytes(1)), let owner = UUID(bytes: find.bytes(4)) else {
        throw KeepsakeError(
          .damaged, "Draft \(number) has lost its identifier.", remedy: .verify)
      }
      var template: Entry
      do { template = try Entry(json: JSON(validating: find.text(2))) } catch {
        throw KeepsakeError(
          .damaged, "Draft \(number) does not say what it is of.", remedy: .verify,
          cause: error)
      }
      template.id = id
      let snapshot = Draft.Snapshot(
        of: template, text: try text(ofDraft: number, in: db), schema: find.optionalText(3),
        isInterrupted: try !core.isAlive(owner))
      drafts.append((number, template, snapshot))
    }
    return drafts
  }

  private func text(ofDraft number: Int64, in db: Tables) throws -> String {
    let find = try db.prepare(
      "SELECT keep, text FROM draft_piece WHERE draft = ? ORDER BY number")
    find.bind(number)
    var bytes: [UInt8] = []
    while try find.step() {
      bytes.removeLast(max(0, bytes.count - (try find.int(in: .size))))
      bytes += find.bytes()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
