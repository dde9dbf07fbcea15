#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Reads attachments together with their artifacts, and with the ids of their sessions and invocations.
struct AttachmentReader {
  private let keeper: any ArtifactKeeper
  let db: Tables

  init(_ keeper: any ArtifactKeeper, in db: Tables) {
    self.keeper = keeper
    self.db = db
  }

  /// Passes the attachments that a session recorded for a range of entries to a closure.
  ///
  /// The entries may belong to a session from which this one was forked. The order is that of entries, and within an entry that
  /// of recording.
  func forEach(
    recordedIn session: Int64, entries: ClosedRange<EntryID>,
    _ body: (borrowing AttachmentRow, consuming Entry.Attachment) throws -> Void
  ) throws {
    let find = try db.connection.prepare(Self.selectRange)
    find.bind(session)
    find.bind(entries.lowerBound)
    find.bind(entries.upperBound)
    while try find.step() {
      let row = try AttachmentRow(find)
      try body(row, value(of: row, find))
    }
  }

  /// Passes the attachments that a fork recorded for entries it shares with its parent to a closure, in the order of entries.
  ///
  /// The result includes attachments to hidden entries at these positions, which the caller must leave out.
  func forEach(
    recordedIn fork: Int64, sharedEntries positions: Range<Int>,
    _ body: (borrowing AttachmentRow, consuming Entry.Attachment) throws -> Void
  ) throws {
    let find = try db.connection.prepare(Self.selectShared)
    find.bind(fork)
    find.bind(EntryID(session: fork, position: 0))
    find.bind(positions.lowerBound)
    find.bind(positions.upperBound - 1)
    while try find.step() {
      let row = try AttachmentRow(find)
      try body(row, value(of: row, find))
    }
  }

  /// Reads the attachments that meet a condition on `attachment AS a`; the condition ends with the order.
  func read(where condition: String, _ bind: (borrowing Statement) -> Void) throws
    -> [(row: AttachmentRow, value: Entry.Attachment)]
  {
    let find = try db.connection.prepare(text: Self.select + condition)
    bind(find)
    var found: [(AttachmentRow, Entry.Attachment)] = []
    while try find.step() {
      let row = try AttachmentRow(find)
      found.append((row, try value(of: row, find)))
    }
    return found
  }

  private func value(of row: borrowing AttachmentRow, _ find: borrowing Statement) throws
    -> Entry.Attachment
  {
    guard let session = UUID(bytes: find.span(Self.first)) else {
      throw KeepsakeError(
        .damaged, "Attachment \(row.number) has no session.", remedy: .verify)
    }
    let artifact: Artifact? =
      row.artifact == nil ? nil : keeper.artifact(of: try ArtifactRow(find, from: Self.first + 2))
    return Entry.Attachment(
      row, session: session, artifact: artifact,
      invocation: UUID(bytes: find.span(Self.first + 1)))
  }

  private static let first = AttachmentRow.columns.count { $0 == "," } + 1
  static let select: String = {
    let columns = AttachmentRow.columns.split(separator: ", ").map { "a.\($0)" }
    return """
      SELECT \(columns.joined(separator: ", ")), s.id, i.id, \(ArtifactRow.columns)
      FROM attachment AS a JOIN session AS s ON s.number = a.session
      LEFT JOIN invocation AS i ON i.number = a.invocation
      LEFT JOIN artifact AS f ON f.number = a.artifact WHERE 
      """
  }()
  // This order is that of the index. By the number alone, SQLite would have to sort rows of forty columns.
  private static let selectRange = ComposedSQL(
    select + "a.session = ?1 AND a.entry BETWEEN ?2 AND ?3 ORDER BY a.entry, a.number")
  // A fork has a higher session number than its parent, so an entry that it shares has a smaller id than its own entries.
  private static let selectShared = ComposedSQL(
    select + """
      a.session = ?1 AND a.entry < ?2 AND a.entry & 16777215 BETWEEN ?3 AND ?4
      ORDER BY a.entry, a.number
      """)
}
