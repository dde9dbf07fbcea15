#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A row of the table `invocation`: all that the store holds of a run.
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
  /// The number of the change that recorded the run. In all links of the row it is the position.
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

  /// The id that a call of this run has: the one that was given when the run began, else one that is made from the run's.
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
    let number = row.int64()
    // A computed name, because only an error needs it.
    var object: String { "invocation \(number)" }
    let id = UUID(bytes: row.span())
    self.number = number
    session = try row.int64(in: .session)
    turn = try row.optionalInt(in: .count)
    maker = try .init(code: row.int(), of: object)
    name = row.text()
    description = Invocation.Description()
    description.implementation = row.optionalText()
    description.version = row.optionalText()
    description.model = row.optionalText()
    description.parameters = row.optionalText()
    description.arguments = row.optionalText()
    started = row.int64()
    ended = row.optionalInt64()
    outcome = try row.optionalInt().map { try .init(code: $0, of: object) }
    detail = row.optionalText()
    output = row.optionalText()
    callID = row.optionalText()
    callEntry = row.optionalEntryID()
    callOrdinal = try row.optionalInt(in: .index)
    basis = try row.optionalInt().map { try .init(code: $0, of: object) }
    recorded = try row.int(in: .count)
    let operation = Chain.Operation(rawValue: row.int())
    let change = try row.int(in: .count)
    let salt = row.salt()
    let digest = row.digest()
    guard let id, let operation, let salt, let digest else {
      throw KeepsakeError(.damaged, "The link of \(object) is damaged.", remedy: .verify)
    }
    self.id = id
    self.salt = salt
    link = RowLink(operation: operation, change: change, digest: digest)
  }

  static func find(_ id: UUID, session: Int64, in db: Tables) throws -> InvocationRow? {
    let find = try db.connection.prepare(
      text: "SELECT \(columns) FROM invocation WHERE id = ? AND session = ?")
    find.bind(id.bytes)
    find.bind(session)
    return try find.step() ? InvocationRow(find) : nil
  }

  /// Finds a run by its number, which means something in this store alone.
  static func find(_ number: Int64, in db: Tables) throws -> InvocationRow? {
    let find = try db.connection.prepare(text: "SELECT \(columns) FROM invocation WHERE number = ?")
    find.bind(number)
    return try find.step() ? InvocationRow(find) : nil
  }

  /// Finds the id of a run by its number, which means something in this store alone.
  static func id(_ number: Int64, in db: Tables) throws -> UUID {
    let find = try db.connection.prepare("SELECT id FROM invocation WHERE number = ?")
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.bytes()) else {
      throw KeepsakeError(
        .damaged,
        "Invocation \(number) is named by an attachment and is not there.", remedy: .verify)
    }
    return id
  }

  /// Finds the runs of tools, in some turns of a session, whose call is not known yet.
  /// - Parameters:
  ///   - session: The number of the session.
  ///   - first: The first of the turns; nil for what comes before any turn.
  ///   - last: The last of the turns; nil for what comes before any turn.
  static func unbound(session: Int64, from first: Int?, through last: Int?, in db: Tables)
    throws -> [InvocationRow]
  {
    var rows: [InvocationRow] = []
    if first == nil { rows = try unbound(session: session, turn: nil, in: db) }
    guard let last else { return rows }
    if last == first { return try unbound(session: session, turn: last, in: db) }
    let find = try db.connection.prepare(
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

  /// Finds the runs of tools, in one turn of a session, whose call is not known yet.
  static func unbound(session: Int64, turn: Int?, in db: Tables) throws -> [InvocationRow] {
    let find = try db.connection.prepare(
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

  func insert(in db: Tables) throws -> Int64 {
    let row = try db.connection.prepare(
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

  func update(in db: Tables) throws {
    let row = try db.connection.prepare(
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
