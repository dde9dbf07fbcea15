#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A row of the table `attachment`, with all that the store records of one occurrence of an artifact.
///
/// The row's link and salt are left out, because only code that writes the row needs them.
struct AttachmentRow {
  var number: Int64 = 0
  var session: Int64
  var entry: EntryID?
  var segment: Int?
  var pointer: String?
  var range: Range<Int>?
  var turn: Int?
  var created: Int64
  var artifact: Int64?
  var state: Entry.Attachment.State
  var direction: Entry.Attachment.Direction
  var maker: Entry.Attachment.Maker
  var basis: Entry.Attachment.Basis
  var invocation: Int64?
  var callID: String?
  var callEntry: EntryID?
  var callOrdinal: Int?
  var tool: String?
  var label: String
  var declaredLabel: String?
  var mediaType: String?
  var fileName: String?
  var captions: String?
  var reference: String?
  var inputs: String?
  /// The number of the change that recorded the row, which identifies the row in all its links.
  let recorded: Int
  /// The entry in the row when it was last read or written.
  var storedEntry: EntryID?

  /// Computes the digest that the row's link covers.
  ///
  /// The digest contains no row numbers of this store, so that a copy of the session in another store has the same digest.
  func digest(artifact: SHA256Digest?, invocation: [UInt8]?, salt: Salt) -> SHA256Digest {
    var canonical = Canonical("keepsake.attachment.1")
    canonical.add(recorded)
    canonical.add(entry?.position)
    canonical.add(segment)
    canonical.add(pointer)
    canonical.add(range?.lowerBound)
    canonical.add(range?.upperBound)
    canonical.add(turn)
    canonical.add(created)
    canonical.add(artifact)
    canonical.add(state.code)
    canonical.add(direction.code)
    canonical.add(maker.code)
    canonical.add(basis.code)
    canonical.add(bytes: invocation)
    canonical.add(callID)
    canonical.add(callEntry?.position)
    canonical.add(callOrdinal)
    canonical.add(tool)
    canonical.add(label)
    canonical.add(declaredLabel)
    canonical.add(mediaType)
    canonical.add(fileName)
    canonical.add(captions)
    canonical.add(reference)
    canonical.add(inputs)
    canonical.add(salt)
    return canonical.digest
  }

  /// Returns whether a fork shows the attachment, with its present content, if the fork pinned its parent at the given change.
  func isVisible(at change: Int?) -> Bool {
    guard let change else { return true }
    return recorded <= change
  }

  static let columns = """
    number, session, entry, segment, pointer, range_start, range_end, turn, created, artifact, state, \
    direction, maker, basis, invocation, call_id, call_entry, call_ordinal, tool, label, \
    declared_label, media_type, file_name, captions, reference, inputs, recorded
    """

  /// Reads the current row of a statement whose first columns are `columns`.
  init(_ row: borrowing Statement) throws {
    let number = try row.int64(0, in: .row)
    // A computed name costs nothing unless an error message needs it.
    var name: String { "attachment \(number)" }
    self.number = number
    session = try row.int64(1, in: .session)
    entry = row.optionalEntryID(2)
    storedEntry = entry
    segment = try row.optionalInt(3, in: .index)
    pointer = row.optionalText(4)
    if let start = try row.optionalInt(5, in: .size), let end = try row.optionalInt(6, in: .size),
      start <= end
    {
      range = start..<end
    }
    turn = try row.optionalInt(7, in: .count)
    created = row.int64(8)
    artifact = row.optionalInt64(9)
    state = try .init(code: row.int(10), of: name)
    direction = try .init(code: row.int(11), of: name)
    maker = try .init(code: row.int(12), of: name)
    basis = try .init(code: row.int(13), of: name)
    invocation = row.optionalInt64(14)
    callID = row.optionalText(15)
    callEntry = row.optionalEntryID(16)
    callOrdinal = try row.optionalInt(17, in: .index)
    tool = row.optionalText(18)
    label = row.text(19)
    declaredLabel = row.optionalText(20)
    mediaType = row.optionalText(21)
    fileName = row.optionalText(22)
    captions = row.optionalText(23)
    reference = row.optionalText(24)
    inputs = row.optionalText(25)
    recorded = try row.int(26, in: .count)
  }

  init(
    session: Int64, created: Int64, state: Entry.Attachment.State,
    direction: Entry.Attachment.Direction, maker: Entry.Attachment.Maker,
    basis: Entry.Attachment.Basis, label: String, recorded: Int
  ) {
    self.session = session
    self.created = created
    self.state = state
    self.direction = direction
    self.maker = maker
    self.basis = basis
    self.label = label
    self.recorded = recorded
  }

  /// Returns the rows that meet a condition; the condition ends with the order.
  static func all(
    _ condition: StaticString, in db: Tables, _ bind: (borrowing Statement) -> Void
  ) throws -> [AttachmentRow] {
    let find = try db.connection.prepare(
      text: "SELECT \(columns) FROM attachment WHERE \(condition)")
    bind(find)
    var rows: [AttachmentRow] = []
    while try find.step() { rows.append(try AttachmentRow(find)) }
    return rows
  }

  /// Inserts the row and returns its number, which is its place in the order of recording.
  func insert(link: RowLink, salt: Salt, in db: Tables) throws -> Int64 {
    let row = try db.connection.prepare(
      """
      INSERT INTO attachment (session, entry, segment, pointer, range_start, range_end, turn, created,
        artifact, state, direction, maker, basis, invocation, call_id, call_entry, call_ordinal, tool,
        label, declared_label, media_type, file_name, captions, reference, inputs,
        recorded, operation, change, salt, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    row.bind(session)
    bindStanding(to: row)
    row.bind(created)
    row.bind(artifact)
    row.bind(state.code)
    row.bind(direction.code)
    row.bind(maker.code)
    row.bind(basis.code)
    row.bind(invocation)
    row.bind(callID)
    row.bind(callEntry)
    row.bind(callOrdinal)
    row.bind(tool)
    row.bind(label)
    row.bind(declaredLabel)
    row.bind(mediaType)
    row.bind(fileName)
    row.bind(captions)
    row.bind(reference)
    row.bind(inputs)
    row.bind(recorded)
    row.bind(link.operation)
    row.bind(link.change)
    row.bind(salt)
    row.bind(link.digest)
    try row.run()
    return try db.insertedRow(in: .row)
  }

  /// Writes the columns that may change after the recording: the place, the artifact, the call, the captions and the link.
  func update(link: RowLink, in db: Tables) throws {
    let row = try db.connection.prepare(
      """
      UPDATE attachment SET entry = ?, segment = ?, pointer = ?, range_start = ?, range_end = ?,
        turn = ?, artifact = ?, state = ?, basis = ?, call_entry = ?, call_ordinal = ?, tool = ?,
        captions = ?, operation = ?, change = ?, digest = ? WHERE number = ?
      """)
    bindStanding(to: row)
    row.bind(artifact)
    row.bind(state.code)
    row.bind(basis.code)
    row.bind(callEntry)
    row.bind(callOrdinal)
    row.bind(tool)
    row.bind(captions)
    row.bind(link.operation)
    row.bind(link.change)
    row.bind(link.digest)
    row.bind(number)
    try row.run()
  }

  /// Reads the link that last wrote the row, and the salt of the row's digest.
  func link(in db: Tables) throws -> (link: RowLink, salt: Salt) {
    let find = try db.connection.prepare(
      "SELECT operation, change, salt, digest FROM attachment WHERE number = ?")
    find.bind(number)
    guard try find.step(), let operation = Chain.Operation(rawValue: find.int(0)),
      let salt = find.salt(2), let digest = find.digest(3)
    else {
      throw KeepsakeError(
        .damaged, "The link of attachment \(number) is damaged.", remedy: .verify)
    }
    let change = try find.int(1, in: .count)
    return (RowLink(operation: operation, change: change, digest: digest), salt)
  }

  private func bindStanding(to row: borrowing Statement) {
    row.bind(entry)
    row.bind(segment)
    row.bind(pointer)
    row.bind(range?.lowerBound)
    row.bind(range?.upperBound)
    row.bind(turn)
  }
}
