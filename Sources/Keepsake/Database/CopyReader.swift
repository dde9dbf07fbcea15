#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Reads the records of one session for a copy, except for the session's own.
struct CopyReader {
  private let session: Int64
  /// The numbers of all attachments of the copy, in order.
  private let recordings: [Int64]
  private let db: Connection
  private let name: String
  private var first: Int64 { EntryID(session: session, position: 0).rawValue }
  private var last: Int64 {
    EntryID(session: session, position: EntryID.maximumPosition).rawValue
  }

  init(of session: Int64, _ id: UUID, recordings: [Int64], in db: Tables) {
    self.session = session
    self.recordings = recordings
    self.db = db.connection
    name = id.text
  }

  /// Passes each record to a closure, in the order in which copies have them.
  func read(withTurns isWithTurns: Bool, _ take: (CopyRecord) throws -> Void) throws {
    if isWithTurns { try list(.turn, take) }
    try list(.invocation, take)
    let strays = try entries(take)
    for record in strays { try take(record) }
    try list(.attachment, take)
    try list(.revision, take)
    try list(.source) { record in
      guard record["base.pieces"] == .null || record["base.import"] != .null else {
        throw KeepsakeError(
          .damaged,
          "The file of \(record.name(in: name)) begins with one that is not there.", remedy: .verify
        )
      }
      try take(record)
    }
    var sources: [Int64] = []
    let find = try db.prepare("SELECT source FROM import WHERE session = ? ORDER BY number")
    find.bind(session)
    while try find.step() { sources.append(find.int64()) }
    for source in sources { try pieces(of: source, take) }
    try list(.change, take)
  }

  private func list(_ kind: CopyRecord.Kind, _ take: (CopyRecord) throws -> Void) throws {
    let find = try db.prepare(kind.table.select)
    find.bind(session, at: 1)
    if find.parameterCount > 1 {
      find.bind(first, at: 2)
      find.bind(last, at: 3)
    }
    while try find.step() { try take(read(kind, find)) }
  }

  private func read(_ kind: CopyRecord.Kind, _ row: borrowing Statement) throws -> CopyRecord {
    var record = try CopyRecord(kind, row)
    if kind == .attachment, let number = record.integer("recording") {
      record["recording"] = .integer(place(of: number))
    }
    do { try record.requireDigest(of: name) } catch {
      throw KeepsakeError(
        .damaged, "Can't copy what is damaged: \(error.reason.clause).", remedy: .verify,
        object: name)
    }
    return record
  }

  /// Returns the place of an attachment in the order of recording, from 1.
  private func place(of number: Int64) -> Int64 {
    var low = 0
    var high = recordings.count
    while low < high {
      let middle = (low + high) / 2
      if recordings[middle] < number { low = middle + 1 } else { high = middle }
    }
    return Int64(low + 1)
  }

  /// Reads each entry with the attachments that the session itself recorded for it.
  ///
  /// - Parameter take: A closure that gets each record.
  /// - Returns: The attachments whose entries are gone.
  private func entries(_ take: (CopyRecord) throws -> Void) throws -> [CopyRecord] {
    let entry = try db.prepare(CopyTable.entry.select)
    entry.bind(first, at: 2)
    entry.bind(last, at: 3)
    let attachment = try db.prepare(text: Self.attached)
    attachment.bind(session)
    attachment.bind(first)
    attachment.bind(last)
    var next = try attachment.step() ? read(.attachment, attachment) : nil
    var strays: [CopyRecord] = []
    while try entry.step() {
      var record = try read(.entry, entry)
      let position = record.integer("position") ?? 0
      while let found = next, let standing = found.integer("position"), standing <= position {
        if standing == position { record.children.append(found) } else { strays.append(found) }
        next = try attachment.step() ? read(.attachment, attachment) : nil
      }
      try take(record)
    }
    while let found = next {
      strays.append(found)
      next = try attachment.step() ? read(.attachment, attachment) : nil
    }
    return strays
  }

  private static let attached = """
    SELECT \(CopyTable.attachment.columns.map(\.expression).joined(separator: ", "))
    FROM attachment AS x WHERE x.session = ?1 AND x.entry BETWEEN ?2 AND ?3
    ORDER BY x.entry, x.number
    """

  private func pieces(of source: Int64, _ take: (CopyRecord) throws -> Void) throws {
    let find = try db.prepare(CopyTable.piece.select)
    find.bind(PieceID.make(source: source, ordinal: 0))
    find.bind(PieceID.make(source: source, ordinal: PieceID.limit - 1))
    var pieces = PieceRecords(of: name, in: db)
    while try find.step() {
      var record = try CopyRecord(.piece, find)
      let id = PieceID.make(source: source, ordinal: record.int("ordinal") ?? 0)
      if try pieces.complete(&record, id) { try take(record) }
    }
  }
}
