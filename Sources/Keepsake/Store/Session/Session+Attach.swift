#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

extension Session {
  /// Keeps an artifact and records where it belongs. The attachment is durable when this returns.
  ///
  /// The bytes may come before their entry, because a tool stores its image while it runs, or with the entry, or after
  /// it. An attachment without a position is bound to the output of its call. Until that output is appended, the
  /// attachment stays unbound, and its bytes are kept all the same. Bytes that are complete are kept even if the caller
  /// is cancelled.
  /// - Throws: ``KeepsakeError``, and the error of the source if its bytes can't be read.
  @concurrent @discardableResult
  public func attach(_ attachment: Entry.NewAttachment, to position: Int? = nil) async throws
    -> Entry.Attachment
  {
    try await attach([attachment], to: position)[0]
  }

  /// Keeps several artifacts and records where they belong: all of them, or none on an error.
  ///
  /// This is much faster than attaching one by one: several large artifacts are taken in at a time, and all become
  /// durable with one commit.
  /// - Returns: The attachments, in the order in which they were given.
  /// - Throws: ``KeepsakeError``, and the error of a source if its bytes can't be read.
  @concurrent @discardableResult
  public func attach(_ attachments: [Entry.NewAttachment], to position: Int? = nil) async throws
    -> [Entry.Attachment]
  {
    if attachments.isEmpty { return [] }
    try handle.requireWriter()
    var prepared = try attachments.map { try PreparedAttachment($0) }
    // It is at cancellation that an app needs to keep what is complete.
    try await handle.takeIn(&prepared, isCancellable: false)
    let session = self
    let size = prepared.reduce(0) { $0 + ($1.artifact?.inlineSize ?? 0) }
    return try await handle.write(prepared, in: id, bytes: size, isCancellable: false) {
      prepared, change in
      try session.attach(prepared, to: position, in: change)
    }
  }

  /// Keeps the bytes of a file as an attachment that a tool call made.
  ///
  /// The file is read wherever it is, so its path must come from a caller that you trust.
  @concurrent @discardableResult
  public func attach(
    contentsOf file: URL, madeBy call: Entry.ToolCall, label: String? = nil, caption: String? = nil
  ) async throws -> Entry.Attachment {
    try await attach(
      Entry.NewAttachment(
        .file(file), fileName: file.lastPathComponent, label: label, caption: caption,
        madeBy: .toolCall(call)))
  }

  /// Keeps bytes as an attachment that a tool call made.
  @concurrent @discardableResult
  public func attach(
    _ data: Data, mediaType: MediaType? = nil, madeBy call: Entry.ToolCall, label: String? = nil,
    caption: String? = nil
  ) async throws -> Entry.Attachment {
    try await attach(
      Entry.NewAttachment(
        .data(data), mediaType: mediaType, label: label, caption: caption, madeBy: .toolCall(call)))
  }
}

extension Session {
  /// Attaches several artifacts inside of a write transaction, which may run more than once.
  private func attach(_ prepared: [PreparedAttachment], to position: Int?, in change: Change) throws
    -> [Entry.Attachment]
  {
    var row = try SessionRow(self, in: change.db)
    if let position, position < 0 || position >= row.entries {
      throw KeepsakeError.noPosition(position, in: id, entries: row.entries)
    }
    if let position, prepared.contains(where: { $0.new.place != nil }) {
      let entry = try EntryReader(self, in: change.db).entries(position..<(position + 1)).first
      for case let new in prepared.lazy.map(\.new) {
        if let place = new.place { try entry?.validate(place, segment: new.segment) }
      }
    }
    var attached: [Entry.Attachment] = []
    attached.reserveCapacity(prepared.count)
    let attachAll = {
      for item in prepared {
        attached.append(try attach(item, position: position, row: &row, in: change))
      }
    }
    if let position {
      try SearchIndex.changing(lineage.id(of: position), in: change.db, attachAll)
    } else {
      try attachAll()
    }
    for attachment in attached { change.publish(.attached(session: id, attachment)) }
    attached = try bindToOutputs(attached, row: &row, in: change)
    try row.save(in: change.db)
    return attached
  }

  /// Attaches an artifact inside of a write transaction. The caller saves `row`.
  func attach(
    _ prepared: PreparedAttachment, position: Int?, row: inout SessionRow, in change: Change
  ) throws -> Entry.Attachment {
    precondition(prepared.isTakenIn, "An attachment is written before its bytes were taken in")
    let db = change.db
    let new = prepared.new
    let artifact = try prepared.artifact.map {
      try handle.artifacts.keep($0, handle: handle, in: change)
    }
    let (label, declared) = try assignLabel(prepared, row: &row, in: db)

    var attachment = AttachmentRow(
      session: number, created: handle.now(), state: new.state, direction: new.direction,
      maker: .user, basis: .explicit, label: label, recorded: row.chain.next)
    attachment.entry = position.map { lineage.id(of: $0) }
    attachment.segment = new.segment
    attachment.declaredLabel = declared
    attachment.turn =
      if let entry = attachment.entry, row.hasOverlappingTurns {
        try db.entries.turn(of: entry)
      } else {
        try currentTurn(of: new.lane, row: &row, in: db)
      }
    switch new.place {
    case .pointer(let pointer): attachment.pointer = pointer
    case .range(let range): attachment.range = range
    case nil: break
    }
    attachment.artifact = artifact?.home?.number
    attachment.mediaType = new.mediaType?.description
    attachment.fileName = new.fileName
    attachment.captions = prepared.captions
    attachment.reference = new.reference
    attachment.inputs = prepared.inputs
    let invocation = try setMaker(new.maker, of: &attachment, entries: row.entries, in: db)
    if let basis = new.basis { attachment.basis = basis }

    let digest = attachment.digest(
      artifact: artifact?.id.digest, invocation: invocation?.bytes, salt: prepared.salt)
    let link = row.chain.begin(.attach, at: attachment.recorded, digest: digest)
    attachment.number = try attachment.insert(link: link, salt: prepared.salt, in: db)
    try insertDerivations(new.inputs, of: attachment.number, in: db)

    if new.direction != .content { row.attachments += 1 }
    row.bytes += artifact?.size ?? 0
    if row.cover == nil, artifact?.sniffedType.isImage == true { row.cover = attachment.number }
    return Entry.Attachment(attachment, session: id, artifact: artifact, invocation: invocation)
  }

  /// Returns the wanted label. If it is taken, or none is wanted, this is the next label of the session.
  private func assignLabel(_ prepared: PreparedAttachment, row: inout SessionRow, in db: Tables)
    throws -> (label: String, declared: String?)
  {
    if let wanted = prepared.new.label, try !isTaken(label: wanted, in: db) {
      return (wanted, nil)
    }
    while true {
      row.labels += 1
      let label = "\(prepared.labelStem)_\(row.labels)"
      if try !isTaken(label: label, in: db) { return (label, prepared.new.label) }
    }
  }

  /// Fills in the maker of an attachment, and returns the id of its invocation.
  private func setMaker(
    _ maker: Entry.MadeBy, of attachment: inout AttachmentRow, entries: Int, in db: Tables
  ) throws -> UUID? {
    switch maker {
    case .toolCall(let call):
      attachment.maker = .toolCall
      attachment.callID = call.id
      attachment.tool = call.tool
      let turn = try attachment.entry.map { try db.entries.turn(of: $0) } ?? attachment.turn
      if let known = try self.call(call.id, ofTurn: turn, before: entries, in: db) {
        attachment.callEntry = lineage.id(of: known.position)
        attachment.callOrdinal = known.ordinal
      }
    case .invocation(let invocation):
      guard let row = try InvocationRow.find(invocation.id, session: number, in: db) else {
        throw KeepsakeError(
          .notFound,
          "Invocation \(invocation.id) is not of session \(id). Attach to the session that recorded it.",
          object: invocation.id.uuidString)
      }
      attachment.maker = row.maker == .tool ? .toolCall : .step
      attachment.basis = row.callEntry == nil ? .enclosing : row.basis ?? .explicit
      attachment.invocation = row.number
      attachment.turn = row.turn ?? attachment.turn
      attachment.tool = row.name
      attachment.callID = row.callID
      attachment.callEntry = row.callEntry
      attachment.callOrdinal = row.callOrdinal
      return invocation.id
    case .step(let name):
      attachment.maker = .step
      attachment.tool = name
    case .response: attachment.maker = .response
    case .user: attachment.maker = .user
    case .source:
      attachment.maker = .source
      attachment.basis = .unknown
    }
    return nil
  }

  private func insertDerivations(
    _ inputs: [Entry.Attachment.Input], of attachment: Int64, in db: Tables
  ) throws {
    for case .artifact(let input) in inputs {
      guard try db.attachments.insertDerivation(of: attachment, from: input.digest) else {
        throw KeepsakeError(
          .notFound,
          "Can't record \(input) as an input: the store does not hold it. Attach it first.",
          object: input.description)
      }
    }
  }
}
