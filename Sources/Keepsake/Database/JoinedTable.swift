#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the hub that the store joined, if any.
struct JoinedTable {
  let db: Connection
}

extension Tables {
  var joined: JoinedTable { JoinedTable(db: connection) }
}

extension JoinedTable {
  /// A hub that the store joined.
  struct Row: Sendable {
    let hub: UUID
    /// Where the hub is, without a secret.
    let address: String
    let since: Int64
    /// The store's name in the hub's feed, with the number of its next entry.
    var peer: UUID
    var next: Int64
    /// Up to where the store has read the feeds; nil if it has to read the hub's directory next.
    var mark: String?
    /// When the store last had all that the hub had; nil if it never did.
    var synced: Int64?
    /// Tells whether the folder is a cache of what the hub has.
    var isShared = false
    /// The store's name at the hub; nil for that of the machine.
    var name: String?
    /// The note that the store last left at the hub, with the time; nil if it left none.
    var note: String?
    var noted: Int64?
  }

  /// Reads whether the store mirrors or shares a hub; nil if it joined none. Each write transaction begins with this statement.
  func way() throws -> HubMembership.Way? {
    let find = try db.prepare("SELECT shared FROM joined")
    return try find.step() ? (find.bool() ? .shared : .mirror) : nil
  }

  /// Reads the hub that the store joined; nil if there is none.
  func row() throws -> Row? {
    let find = try db.prepare(
      "SELECT hub, address, since, peer, next, mark, synced, shared, name, note, noted FROM joined LIMIT 1"
    )
    guard try find.step() else { return nil }
    guard let hub = UUID(bytes: find.bytes(0)), let peer = UUID(bytes: find.bytes(3)) else {
      throw KeepsakeError(
        .damaged, "The store has lost the id of the hub that it joined.", remedy: .verify)
    }
    return Row(
      hub: hub, address: find.text(1), since: find.int64(2),
      peer: peer, next: find.int64(4), mark: find.optionalText(5), synced: find.optionalInt64(6),
      isShared: find.bool(7), name: find.optionalText(8), note: find.optionalText(9),
      noted: find.optionalInt64(10))
  }

  func insert(_ row: Row) throws {
    let insert = try db.prepare(
      "INSERT INTO joined (hub, address, since, peer, next, name) VALUES (?, ?, ?, ?, ?, ?)")
    insert.bind(row.hub.bytes)
    insert.bind(row.address)
    insert.bind(row.since)
    insert.bind(row.peer.bytes)
    insert.bind(row.next)
    insert.bind(row.name)
    try insert.run()
  }

  /// Makes the folder a cache of what the hub has.
  func share() throws { try db.prepare("UPDATE joined SET shared = 1").run() }

  func update(address: String) throws {
    let update = try db.prepare("UPDATE joined SET address = ?1 WHERE address IS NOT ?1")
    update.bind(address)
    try update.run()
  }

  /// Gives the store another name at the hub.
  func update(name: String) throws {
    let update = try db.prepare("UPDATE joined SET name = ?1 WHERE name IS NOT ?1")
    update.bind(name)
    try update.run()
  }

  /// Writes down the note that the store left at the hub.
  func update(note: String, noted: Int64) throws {
    let update = try db.prepare("UPDATE joined SET note = ?, noted = ?")
    update.bind(note)
    update.bind(noted)
    try update.run()
  }

  func update(peer: UUID, next: Int64) throws {
    let update = try db.prepare("UPDATE joined SET peer = ?, next = ?")
    update.bind(peer.bytes)
    update.bind(next)
    try update.run()
  }

  func update(mark: String, synced: Int64) throws {
    let update = try db.prepare("UPDATE joined SET mark = ?, synced = ?")
    update.bind(mark)
    update.bind(synced)
    try update.run()
  }

  /// Forgets the hub, and all that is known of its sessions.
  func clear() throws {
    for sql: StaticString in ["DELETE FROM joined", "DELETE FROM hub_session", "DELETE FROM offer"]
    {
      try db.prepare(sql).run()
    }
  }
}
