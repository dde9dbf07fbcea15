import Files
import Foundation
import SQLite

/// What a store's database and folder must agree on, asked without the library's help.
struct DatabaseCheck {
  let store: String
  private var faults: [String] = []

  init(store: String) { self.store = store }

  func run() throws -> [String] {
    var check = self
    let db = try Connection(path: store + "/store.sqlite", access: .readOnly)
    defer { db.close() }
    check.faults += try db.integrityCheck(quick: false)
    check.faults += try db.brokenForeignKeys().map {
      "row \($0.row ?? -1) of \($0.table) refers to no \($0.parent)"
    }
    try check.checkCounters(db)
    try check.checkArtifacts(db)
    try check.checkChains(db)
    return check.faults
  }

  private mutating func checkCounters(_ db: Connection) throws {
    let row = try db.prepare(
      """
      SELECT s.number, s.entries, s.attachments, s.bytes,
        (SELECT count(*) FROM entry WHERE id >> 24 = s.number),
        (SELECT coalesce(max(id) & 16777215, -1) + 1 FROM entry WHERE id >> 24 = s.number),
        (SELECT count(*) FROM attachment WHERE session = s.number),
        (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM entry WHERE id >> 24 = s.number)
          + (SELECT coalesce(sum(f.size), 0) FROM attachment AS a
             JOIN artifact AS f ON f.number = a.artifact WHERE a.session = s.number)
      FROM session AS s WHERE s.parent IS NULL
      """)
    while try row.step() {
      let session = row.int(0)
      if row.int(1) != row.int(4) || row.int(1) != row.int(5) {
        faults.append(
          "session \(session) counts \(row.int(1)) entries, has \(row.int(4)) up to \(row.int(5))")
      }
      if row.int(2) != row.int(6) {
        faults.append("session \(session) counts \(row.int(2)) attachments, has \(row.int(6))")
      }
      if row.int64(3) != row.int64(7) {
        faults.append("session \(session) counts \(row.int64(3)) bytes, has \(row.int64(7))")
      }
    }
  }

  /// No row names missing bytes, and none came without what it was written for.
  private mutating func checkArtifacts(_ db: Connection) throws {
    let row = try db.prepare(
      """
      SELECT f.digest, f.size, f.place, b.bytes,
        EXISTS (SELECT 1 FROM attachment WHERE artifact = f.number)
      FROM artifact AS f LEFT JOIN blob AS b ON b.number = f.number
      """)
    while try row.step() {
      guard let digest = row.digest(0) else {
        faults.append("an artifact has no digest")
        continue
      }
      if !row.bool(4) { faults.append("artifact \(digest.hex) came without its attachment") }
      if row.int(2) == 0 {
        let bytes = row.bytes(3)
        if row.isNull(3) || bytes.count != row.int(1) || SHA256.digest(of: bytes) != digest {
          faults.append("the row of artifact \(digest.hex) has other bytes")
        }
      } else if let fault = checkFile(digest, size: row.int64(1)) {
        faults.append(fault)
      }
    }
  }

  private func checkFile(_ digest: SHA256Digest, size: Int64) -> String? {
    let path = "\(store)/artifacts/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2))"
    do {
      let found = try Ingest.hash(FileDescriptor(opening: path))
      return found.digest == digest && found.size == size
        ? nil : "the file of artifact \(digest.hex) has other bytes"
    } catch { return "artifact \(digest.hex): \(error)" }
  }

  /// Each session's links are dense, and together they give its head.
  private mutating func checkChains(_ db: Connection) throws {
    let session = try db.prepare(
      "SELECT number, id, created, changes, head FROM session WHERE parent IS NULL")
    while try session.step() {
      var head = SHA256()
      head.update("keepsake.session.1")
      head.update([3] + Self.integer(16) + session.bytes(1))
      head.update([1] + Self.integer(session.int64(2)))
      var digest = head.finalize()
      var count: Int64 = 0
      let link = try db.prepare(
        """
        SELECT change, operation, id & 16777215, digest FROM entry WHERE id >> 24 = ?1
        UNION ALL SELECT change, operation, recorded, digest FROM attachment WHERE session = ?1
        UNION ALL SELECT change, operation, recorded, digest FROM invocation WHERE session = ?1
        UNION ALL SELECT number, operation, position, digest FROM change WHERE session = ?1
        ORDER BY 1
        """)
      link.bind(session.int64(0), at: 1)
      while try link.step() {
        count += 1
        if link.int64(0) != count { break }
        var next = SHA256()
        next.update("keepsake.link.1")
        next.update(digest.bytes)
        next.update(
          Self.integer(count) + Self.integer(link.int64(1)) + Self.integer(link.int64(2)))
        next.update(link.bytes(3))
        digest = next.finalize()
      }
      if count != session.int64(3) || session.digest(4) != digest {
        faults.append("the chain of session \(session.int(0)) does not add up")
      }
    }
  }

  private static func integer(_ value: Int64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> Int64($0)) }
  }
}
