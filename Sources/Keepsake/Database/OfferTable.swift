#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over the commits that are on their way to the hub.
struct OfferTable {
  let db: Connection
}

extension Tables {
  var offers: OfferTable { OfferTable(db: connection) }
}

extension OfferTable {
  /// A commit that is on its way to the hub.
  struct Row: Sendable {
    let session: UUID
    /// The stamp of the version that the commit builds on; nil if it makes the session.
    let base: UUID?
    let stamp: UUID
    let bytes: [UInt8]
  }

  func insert(_ row: Row) throws {
    let insert = try db.prepare(
      "INSERT INTO offer (session, base, stamp, bytes) VALUES (?, ?, ?, ?)")
    insert.bind(row.session.bytes)
    insert.bind(row.base?.bytes)
    insert.bind(row.stamp.bytes)
    insert.bind(row.bytes)
    try insert.run()
  }

  /// Returns the next offers in the order in which they were made, at least one if there is any, and then some up to a number of
  /// bytes.
  func next(after place: Int64, bytes limit: Int) throws -> [(place: Int64, row: Row)] {
    let find = try db.prepare(
      """
      SELECT rowid, session, base, stamp, bytes FROM offer WHERE rowid > ? ORDER BY rowid
      """)
    find.bind(place)
    var rows: [(Int64, Row)] = []
    var size = 0
    while try find.step() {
      size += find.count(4)
      if !rows.isEmpty, size > limit { break }
      guard let session = UUID(bytes: find.bytes(1)), let stamp = UUID(bytes: find.bytes(3)) else {
        continue
      }
      rows.append(
        (
          find.int64(0),
          Row(
            session: session, base: find.optionalBytes(2).flatMap(UUID.init(bytes:)), stamp: stamp,
            bytes: find.bytes(4))
        ))
    }
    return rows
  }

  /// Finds the offer of a session.
  func row(of session: UUID) throws -> Row? {
    let find = try db.prepare("SELECT base, stamp, bytes FROM offer WHERE session = ?")
    find.bind(session.bytes)
    return try find.step() ? Self.row(of: session, find) : nil
  }

  /// Tells whether a commit of a session is on its way.
  func has(_ session: UUID) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM offer WHERE session = ?")
    find.bind(session.bytes)
    return try find.step()
  }

  /// Forgets an offer that was answered. Another process may have done so already.
  func remove(_ stamp: UUID, of session: UUID) throws -> Bool {
    let remove = try db.prepare("DELETE FROM offer WHERE session = ? AND stamp = ? RETURNING 1")
    remove.bind(session.bytes)
    remove.bind(stamp.bytes)
    return try remove.step()
  }

  /// Forgets the offer of a session, whose place another one takes, and returns it.
  func remove(of session: UUID) throws -> Row? {
    let remove = try db.prepare("DELETE FROM offer WHERE session = ? RETURNING base, stamp, bytes")
    remove.bind(session.bytes)
    return try remove.step() ? Self.row(of: session, remove) : nil
  }

  /// Reads an offer from a row of its base, its stamp and its bytes.
  private static func row(of session: UUID, _ find: borrowing Statement) -> Row? {
    UUID(bytes: find.bytes(1)).map {
      Row(
        session: session, base: find.optionalBytes(0).flatMap(UUID.init(bytes:)), stamp: $0,
        bytes: find.bytes(2))
    }
  }

  /// Returns the number of commits on their way.
  func count() throws -> Int { Int(try db.integer("SELECT count(*) FROM offer") ?? 0) }
}
