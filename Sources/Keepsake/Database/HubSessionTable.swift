#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// The statements over what the store last saw of each session of its hub.
struct HubSessionTable {
  let db: Connection
}

extension Tables {
  var hubSessions: HubSessionTable { HubSessionTable(db: connection) }
}

extension HubSessionTable {
  // A store runs `untold`, `removed` and `faulty` whenever it looks at one session of the hub. Each has an index that lists its rows alone.
  static let untold: StaticString = """
    SELECT s.number FROM hub_session AS h CROSS JOIN session AS s ON s.id = h.id
    WHERE h.version = 0 AND h.fault IS NULL ORDER BY s.number
    """
  static let removed: StaticString = """
    SELECT h.id FROM hub_session AS h LEFT JOIN session AS s ON s.id = h.id
    WHERE h.removed = 1 ORDER BY s.number DESC, h.id
    """
  static let faulty: StaticString = """
    SELECT id, version, stamp, removed, fault FROM hub_session WHERE fault IS NOT NULL ORDER BY id
    """

  /// What the store last saw of a session of its hub.
  struct Row: Sendable {
    let id: UUID
    /// The number of the version; 0 if the hub is not known to have the session.
    var version: Int64 = 0
    /// The stamp of the version; nil for version 0.
    var stamp: UUID?
    /// Tells whether the session was deleted at the hub and has to be deleted here.
    var isRemoved = false
    /// Why the session is not kept in step; nil if it is.
    var fault: String?

    /// Tells whether two rows of a session name the same version.
    func hasVersion(of other: Row) -> Bool { version == other.version && stamp == other.stamp }
  }

  /// The stored values of `removed`.
  private enum Removal: Int {
    case none
    /// The session was deleted at the hub and has to be deleted here.
    case isDue
    /// The session was deleted, and the hub's version of it is known to keep no artifacts.
    case keepsNone
    /// The session was deleted, and the hub's version of it is known to keep some artifacts.
    case keepsSome
  }

  func row(_ id: UUID) throws -> Row? {
    let find = try db.prepare(
      "SELECT id, version, stamp, removed, fault FROM hub_session WHERE id = ?")
    find.bind(id.bytes)
    return try find.step() ? Self.row(find) : nil
  }

  /// Returns all sessions that are not kept in step.
  func faulty() throws -> [Row] {
    let find = try db.prepare(Self.faulty)
    var rows: [Row] = []
    while try find.step() { if let row = Self.row(find) { rows.append(row) } }
    return rows
  }

  /// Returns the sessions that have to be deleted here, the forks before their parents, which may keep more until then.
  func removed() throws -> [UUID] {
    let find = try db.prepare(Self.removed)
    var ids: [UUID] = []
    while try find.step() { if let id = UUID(bytes: find.bytes(0)) { ids.append(id) } }
    return ids
  }

  /// Notes that a session was deleted here.
  func finishRemoval(of session: UUID) throws {
    let update = try db.prepare("UPDATE hub_session SET removed = 0 WHERE id = ?")
    update.bind(session.bytes)
    try update.run()
  }

  /// Returns the versions that the store has of all sessions.
  func versions() throws -> [UUID: Int64] {
    let find = try db.prepare("SELECT id, version FROM hub_session")
    var versions: [UUID: Int64] = [:]
    while try find.step() {
      if let id = UUID(bytes: find.bytes(0)) { versions[id] = find.int64(1) }
    }
    return versions
  }

  /// Returns the deleted sessions whose version at the hub may keep artifacts that nothing here needs.
  ///
  /// - Returns: The sessions whose version was not read for that yet, those whose version is known to keep some, and whether one of the
  ///   latter is not here at all, so that only another store can need what its version keeps.
  func deleted() throws -> (unread: [Row], keeping: [Row], keepsForOthers: Bool) {
    let find = try db.prepare(
      """
      SELECT h.id, h.version, h.stamp, h.removed, h.fault, s.id IS NULL FROM hub_session AS h
      LEFT JOIN session AS s ON s.id = h.id
      WHERE h.version > 0 AND h.removed <> ? AND s.state IS NOT ?
      """)
    find.bind(Removal.keepsNone.rawValue)
    find.bind(SessionPresence.shown)
    var rows: (unread: [Row], keeping: [Row], keepsForOthers: Bool) = ([], [], false)
    while try find.step() {
      guard let row = Self.row(find) else { continue }
      if find.int(3) == Removal.keepsSome.rawValue {
        rows.keeping.append(row)
        if find.bool(5) { rows.keepsForOthers = true }
      } else {
        rows.unread.append(row)
      }
    }
    return rows
  }

  /// Notes whether the hub's version of a deleted session keeps artifacts.
  func note(_ row: Row, keepsArtifacts: Bool) throws {
    let update = try db.prepare(
      "UPDATE hub_session SET removed = ? WHERE id = ? AND version = ? AND removed = ?")
    update.bind((keepsArtifacts ? Removal.keepsSome : .keepsNone).rawValue)
    update.bind(row.id.bytes)
    update.bind(row.version)
    update.bind(Removal.none.rawValue)
    try update.run()
  }

  /// Returns the sessions that are here and not at the hub, as far as is known, with their numbers, the parents before their forks.
  func untold() throws -> [Int64] {
    let find = try db.prepare(Self.untold)
    var numbers: [Int64] = []
    while try find.step() { numbers.append(find.int64()) }
    return numbers
  }

  func put(_ row: Row) throws {
    let put = try db.prepare(
      """
      INSERT INTO hub_session (id, version, stamp, removed, fault) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, stamp = excluded.stamp,
        removed = excluded.removed, fault = excluded.fault
      """)
    put.bind(row.id.bytes)
    put.bind(row.version)
    put.bind(row.stamp?.bytes)
    put.bind((row.isRemoved ? Removal.isDue : .none).rawValue)
    put.bind(row.fault)
    try put.run()
  }

  /// Lists all sessions that are here as ones that the hub is not known to have, also those that are still being imported, and
  /// those that were deleted and are there for their forks as deleted.
  func insertAll() throws {
    let insert = try db.prepare(
      """
      INSERT INTO hub_session (id, version) SELECT id, 0 FROM session WHERE true
      ON CONFLICT (id) DO NOTHING
      """)
    try insert.run()
    let removals = try db.prepare(
      """
      INSERT INTO unsent_removal (id, session) SELECT id, number FROM session WHERE state = ?
      ON CONFLICT (id) DO NOTHING
      """)
    removals.bind(SessionPresence.purged)
    try removals.run()
  }

  private static func row(_ find: borrowing Statement) -> Row? {
    UUID(bytes: find.bytes(0)).map {
      Row(
        id: $0, version: find.int64(1), stamp: find.optionalBytes(2).flatMap(UUID.init(bytes:)),
        isRemoved: find.int(3) == Removal.isDue.rawValue, fault: find.optionalText(4))
    }
  }
}
