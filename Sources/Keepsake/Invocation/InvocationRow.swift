#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A row of `invocation`.
struct InvocationRow {
  var number: Int64 = 0
  let id: UUID
  let session: Int64
  let turn: Int?
  let maker: Invocation.Maker
  let name: String
  var description: Invocation.Description
  let started: Int64
  var ended: Int64?
  var outcome: Invocation.Outcome?
  var detail: String?
  var output: String?
  var callID: String?
  var callEntry: EntryID?
  var callOrdinal: Int?
  var basis: Entry.Attachment.Basis?
  /// The number of the change that recorded it, which stands for the row in all its links.
  let recorded: Int
  var salt: Salt
  var link: RowLink

  init(
    id: UUID, session: Int64, turn: Int?, maker: Invocation.Maker, name: String,
    description: Invocation.Description, started: Int64, callID: String?,
    recorded: Int
  ) {
    self.id = id
    self.session = session
    self.turn = turn
    self.maker = maker
    self.name = name
    self.description = description
    self.started = started
    self.callID = callID
    self.recorded = recorded
    salt = Salt()
    link = RowLink(beginning: .invoke)
  }

  var digest: SHA256Digest {
    var canonical = Canonical("keepsake.invocation.1")
    canonical.add(recorded)
    canonical.add(bytes: id.bytes)
    canonical.add(turn)
    canonical.add(maker.code)
    canonical.add(name)
    canonical.add(description.implementation)
    canonical.add(description.version)
    canonical.add(description.model)
    canonical.add(description.parameters)
    canonical.add(description.arguments)
    canonical.add(started)
    canonical.add(ended)
    canonical.add(outcome?.code)
    canonical.add(detail)
    canonical.add(output)
    canonical.add(callID)
    canonical.add(callEntry?.position)
    canonical.add(callOrdinal)
    canonical.add(basis?.code)
    canonical.add(salt)
    return canonical.digest
  }

  /// The id of the call that says it is this run's: as it was given, else the run's own.
  var ownCallID: String { callID ?? Invocation.callID(of: id) }

  func value(session: UUID) -> Invocation {
    Invocation(
      id: id, session: session, turn: turn, maker: maker, name: name, description: description,
      started: Date(microseconds: started), ended: ended.map(Date.init(microseconds:)),
      outcome: outcome, detail: detail, output: output,
      call: callEntry.map { .init(position: $0.position, ordinal: callOrdinal ?? 0) },
      callID: callID, basis: basis)
  }
}

extension InvocationRow {
  static let columns = """
    number, id, session, turn, maker, name, implementation, version, model, parameters, arguments, \
    started, ended, outcome, detail, output, call_id, call_entry, call_ordinal, basis, recorded, \
    operation, change, salt, digest
    """

  init(_ row: borrowing Statement) throws {
    let number = row.int64(0)
    let object = "invocation \(number)"
    guard let id = UUID(bytes: row.bytes(1)), let salt = row.salt(23), let digest = row.digest(24),
      let operation = Chain.Operation(rawValue: row.int(21))
    else {
      throw KeepsakeError(.damaged, "The link of \(object) is damaged.", remedy: .verify)
    }
    self.number = number
    self.id = id
    session = try row.int64(2, in: .session)
    turn = try row.optionalInt(3, in: .count)
    maker = try .init(code: row.int(4), of: object)
    name = row.text(5)
    description = Invocation.Description(
      arguments: row.optionalText(10), implementation: row.optionalText(6),
      version: row.optionalText(7), model: row.optionalText(8), parameters: row.optionalText(9))
    started = row.int64(11)
    ended = row.optionalInt64(12)
    outcome = try row.optionalInt(13).map { try .init(code: $0, of: object) }
    detail = row.optionalText(14)
    output = row.optionalText(15)
    callID = row.optionalText(16)
    callEntry = row.optionalEntryID(17)
    callOrdinal = try row.optionalInt(18, in: .index)
    basis = try row.optionalInt(19).map { try .init(code: $0, of: object) }
    recorded = try row.int(20, in: .count)
    self.salt = salt
    link = RowLink(operation: operation, change: try row.int(22, in: .count), digest: digest)
  }

  static func find(_ id: UUID, session: Int64, in db: Connection) throws -> InvocationRow? {
    let find = try db.prepare(
      text: "SELECT \(columns) FROM invocation WHERE id = ? AND session = ?")
    find.bind(id.bytes)
    find.bind(session)
    return try find.step() ? InvocationRow(find) : nil
  }

  /// The run with a number of this store.
  static func find(_ number: Int64, in db: Connection) throws -> InvocationRow? {
    let find = try db.prepare(text: "SELECT \(columns) FROM invocation WHERE number = ?")
    find.bind(number)
    return try find.step() ? InvocationRow(find) : nil
  }

  /// The id behind a number of this store.
  static func id(_ number: Int64, in db: Connection) throws -> UUID {
    let find = try db.prepare("SELECT id FROM invocation WHERE number = ?")
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.bytes()) else {
      throw KeepsakeError(
        .damaged,
        "Invocation \(number) is named by an attachment and is not there.", remedy: .verify)
    }
    return id
  }

  /// The runs of tools in some turns of a session whose call is not known yet; nil is before the first turn.
  static func unbound(session: Int64, from first: Int?, through last: Int?, in db: Connection)
    throws -> [InvocationRow]
  {
    var rows: [InvocationRow] = []
    if first == nil { rows = try unbound(session: session, turn: nil, in: db) }
    guard let last else { return rows }
    if last == first { return try unbound(session: session, turn: last, in: db) }
    let find = try db.prepare(
      text: """
        SELECT \(columns) FROM invocation
        WHERE session = ? AND turn BETWEEN ? AND ? AND call_entry IS NULL AND maker = 0
        ORDER BY number
        """)
    find.bind(session)
    find.bind(first ?? 1)
    find.bind(last)
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }

  /// The runs of tools in one turn of a session whose call is not known yet.
  static func unbound(session: Int64, turn: Int?, in db: Connection) throws -> [InvocationRow] {
    let find = try db.prepare(
      text: """
        SELECT \(columns) FROM invocation
        WHERE session = ? AND turn IS ? AND call_entry IS NULL AND maker = 0 ORDER BY number
        """)
    find.bind(session)
    find.bind(turn)
    var rows: [InvocationRow] = []
    while try find.step() { rows.append(try InvocationRow(find)) }
    return rows
  }

  func insert(in db: Connection) throws -> Int64 {
    let row = try db.prepare(
      """
      INSERT INTO invocation (id, session, turn, maker, name, implementation, version, model,
        parameters, arguments, started, call_id, call_entry, call_ordinal, basis, recorded,
        operation, change, salt, digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    row.bind(id.bytes)
    row.bind(session)
    row.bind(turn)
    row.bind(maker.code)
    row.bind(name)
    row.bind(description.implementation)
    row.bind(description.version)
    row.bind(description.model)
    row.bind(description.parameters)
    row.bind(description.arguments)
    row.bind(started)
    row.bind(callID)
    row.bind(callEntry)
    row.bind(callOrdinal)
    row.bind(basis?.code)
    row.bind(recorded)
    row.bind(link.operation)
    row.bind(link.change)
    row.bind(salt)
    row.bind(link.digest)
    try row.run()
    return try db.insertedRow(in: .row)
  }

  func update(in db: Connection) throws {
    let row = try db.prepare(
      """
      UPDATE invocation SET ended = ?, outcome = ?, detail = ?, output = ?, call_entry = ?,
        call_ordinal = ?, basis = ?, operation = ?, change = ?, digest = ? WHERE number = ?
      """)
    row.bind(ended)
    row.bind(outcome?.code)
    row.bind(detail)
    row.bind(output)
    row.bind(callEntry)
    row.bind(callOrdinal)
    row.bind(basis?.code)
    row.bind(link.operation)
    row.bind(link.change)
    row.bind(link.digest)
    row.bind(number)
    try row.run()
  }
}
