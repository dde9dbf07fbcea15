#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the table of entries and their tool calls.
struct EntryTable {
  let db: Connection
}

extension Tables {
  var entries: EntryTable { EntryTable(db: connection) }
}

// MARK: - Writing

extension EntryTable {
  /// Inserts an entry.
  func insert(
    _ columns: EntryColumns, as id: EntryID, link: RowLink, salt: Salt, body: [UInt8],
    callID: EntryID?
  ) throws {
    let row = try db.prepare(
      """
      INSERT INTO entry (id, uuid, kind, created, status, visibility, turn, key, lane, author, model,
        call_entry, call_ordinal, operation, change, salt, digest, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    row.bind(id)
    row.bind(columns.uuid)
    row.bind(columns.kind)
    row.bind(columns.created)
    row.bind(columns.status)
    row.bind(columns.visibility)
    row.bind(columns.turn)
    row.bind(columns.key)
    row.bind(columns.lane)
    row.bind(columns.author)
    row.bind(columns.model)
    row.bind(callID)
    row.bind(columns.call?.ordinal)
    row.bind(link.operation)
    row.bind(link.change)
    row.bind(salt)
    row.bind(link.digest)
    try row.run(binding: body, as: .text)
  }

  /// Inserts the tool calls of an entry.
  func insert(_ calls: [Entry.ToolCall], of entry: EntryID) throws {
    let statement = try db.prepare(
      "INSERT INTO tool_call (entry, ordinal, call_id, tool) VALUES (?, ?, ?, ?)")
    for (ordinal, call) in calls.enumerated() {
      statement.bind(entry)
      statement.bind(ordinal)
      statement.bind(call.id)
      statement.bind(call.tool)
      try statement.run()
    }
  }

  /// Updates an entry whose content is revised.
  func update(
    _ id: EntryID, to columns: EntryColumns, link: RowLink, salt: Salt, body: [UInt8]
  ) throws {
    let update = try db.prepare(
      """
      UPDATE entry SET status = ?, lane = ?, author = ?, model = ?, operation = ?, change = ?,
        salt = ?, digest = ?, body = ? WHERE id = ?
      """)
    update.bind(columns.status, at: 1)
    update.bind(columns.lane, at: 2)
    update.bind(columns.author, at: 3)
    update.bind(columns.model, at: 4)
    update.bind(link.operation, at: 5)
    update.bind(link.change, at: 6)
    update.bind(salt, at: 7)
    update.bind(link.digest, at: 8)
    update.bind(id, at: 10)
    try update.run(binding: body, at: 9, as: .text)
  }

  /// Updates an entry that takes over the key and the body of its source.
  func update(_ id: EntryID, key: String?, link: RowLink, salt: Salt, body: [UInt8]) throws {
    let update = try db.prepare(
      """
      UPDATE entry SET key = ?, operation = ?, change = ?, salt = ?, digest = ?, body = ?
      WHERE id = ?
      """)
    update.bind(key, at: 1)
    update.bind(link.operation, at: 2)
    update.bind(link.change, at: 3)
    update.bind(salt, at: 4)
    update.bind(link.digest, at: 5)
    update.bind(id, at: 7)
    try update.run(binding: body, at: 6, as: .text)
  }
}

// MARK: - Reading

extension EntryTable {
  /// Returns whether an entry is stored under an id with a UUID.
  func contains(_ id: EntryID, uuid: UUID) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM entry WHERE id = ? AND uuid = ?")
    find.bind(id)
    find.bind(uuid.bytes)
    return try find.step()
  }

  /// Finds the link that last wrote an entry; nil if the entry is not there, or its link makes no sense.
  func link(of id: EntryID) throws -> RowLink? {
    let find = try db.prepare("SELECT operation, digest, change FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step(), let operation = Chain.Operation(rawValue: find.int()),
      let digest = find.digest()
    else { return nil }
    return RowLink(operation: operation, change: try find.int(in: .ordinal), digest: digest)
  }

  /// Returns the size in bytes of an entry's body.
  func bodySize(of id: EntryID) throws -> Int64 {
    let find = try db.prepare("SELECT length(CAST(body AS BLOB)) FROM entry WHERE id = ?")
    find.bind(id)
    return try find.step() ? find.int64(in: .size) : 0
  }

  /// Reads the digests of the entries that a lineage shows, by position.
  func digests(of positions: Range<Int>, in lineage: Lineage) throws -> [Int: String] {
    let find = try db.prepare("SELECT id, digest FROM entry WHERE id BETWEEN ? AND ?")
    var digests: [Int: String] = [:]
    for stretch in lineage.stretches(positions) {
      find.bind(EntryID.range(stretch.positions, of: stretch.piece.session))
      while try find.step() {
        let entry = find.entryID()
        digests[entry.position] = find.digest()?.hex
      }
      find.reset()
    }
    return digests
  }

  /// Finds the events of a lineage that take the conversation back, with the position after which it goes on.
  func returns(in lineage: Lineage, below end: Int) throws -> [(position: Int, target: Int)] {
    var returns: [(position: Int, target: Int)] = []
    for stretch in lineage.stretches(0..<end) {
      // A text in the body may contain the name as well, so each found body is decoded.
      let find = try db.prepare(
        """
        SELECT id, body FROM entry
        WHERE id BETWEEN ? AND ? AND kind = ? AND instr(body, '"continuesAfter"') > 0 ORDER BY id
        """)
      find.bind(EntryID.range(stretch.positions, of: stretch.piece.session))
      find.bind(Entry.Kind.event.code)
      while try find.step() {
        var event = Entry(.event)
        _ = try EntryBody.decode(find.span(1), into: &event)
        guard let target = event.continuesAfter else { continue }
        returns.append((find.entryID(0).position, target))
      }
    }
    return returns
  }
}
