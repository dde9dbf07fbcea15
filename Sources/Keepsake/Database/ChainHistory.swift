#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Computes the earlier heads of a stored session's chain.
struct ChainHistory {
  private let number: Int64
  private let db: Tables

  init(of number: Int64, in db: Tables) {
    self.number = number
    self.db = db
  }

  /// Tells whether the chain of a session was at a point. Most forks are made of what is newest, which costs no look at the past.
  /// - Parameters:
  ///   - point: The point.
  ///   - session: The number of the session.
  ///   - end: The chain as it is now.
  ///   - db: The tables.
  static func has(_ point: Chain, session: Int64, endingAt end: Chain, in db: Tables) throws -> Bool
  {
    if end.count <= point.count { return end == point }
    return try ChainHistory(of: session, in: db).head(after: point.count) == point.head
  }

  /// Returns the head after a change; nil if the chain is shorter, or a link before is missing. The cost grows with the change.
  func head(after change: Int) throws -> SHA256Digest? { try chain(after: change)?.head }

  /// Returns the chain as it was after a change; nil if it is shorter, or a link before is missing.
  func chain(after change: Int) throws -> Chain? {
    guard var chain = try beginning() else { return nil }
    let find = try links()
    while chain.count < change {
      guard try find.step(), find.int(0) == chain.count + 1, let digest = find.digest(3) else {
        return nil
      }
      chain.add(code: find.int(1), position: find.int(2), digest: digest)
    }
    return chain
  }

  /// Returns the links of the changes after one.
  func links(after change: Int) throws -> [ChainLink] {
    let find = try links()
    var links: [ChainLink] = []
    while try find.step() {
      guard find.int(0) > change, let digest = find.digest(3) else { continue }
      links.append(ChainLink(operation: find.int(1), position: find.int(2), digest: digest))
    }
    return links
  }

  private func links() throws -> Statement {
    let find = try db.connection.prepare(
      """
      SELECT change, operation, id & 16777215, digest FROM entry WHERE id BETWEEN ?2 AND ?3
      UNION ALL SELECT change, operation, recorded, digest FROM attachment WHERE session = ?1
      UNION ALL SELECT change, operation, recorded, digest FROM invocation WHERE session = ?1
      UNION ALL SELECT change, operation, recorded, digest FROM import WHERE session = ?1
      UNION ALL SELECT number, operation, position, digest FROM change WHERE session = ?1
      ORDER BY 1
      """)
    find.bind(number)
    find.bind(EntryID(session: number, position: 0))
    find.bind(EntryID(session: number, position: EntryID.maximumPosition))
    return find
  }

  private func beginning() throws -> Chain? {
    let row = try db.connection.prepare(
      "SELECT id, created, parent, fork_position, fork_change, fork_head FROM session WHERE number = ?"
    )
    row.bind(number)
    guard try row.step() else { return nil }
    guard !row.isNull(2) else { return Chain(beginning: row.bytes(0), created: row.int64(1)) }
    let change = try row.int(4, in: .count)
    return row.digest(5).map {
      Chain(
        forking: Chain(head: $0, count: change), at: row.int(3), into: row.bytes(0),
        created: row.int64(1))
    }
  }
}
