/// Changes of an attachment after it was recorded. Each is a change of the session, with a link of its chain.
extension Session {
  /// Gives a pending attachment its bytes. The caller's cancellation does not stop this.
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - source: The bytes.
  /// - Returns: The attachment as it is stored.
  /// - Throws: ``KeepsakeError``: `conflict` if the attachment has its bytes already or was erased.
  @concurrent @discardableResult
  public func settle(_ attachment: Entry.Attachment, with source: ArtifactSource) async throws
    -> Entry.Attachment
  {
    let prepared = try await PreparedSource(source, handle: handle)
    let handle = handle
    return try await change(
      attachment, as: .settle, preparing: prepared, bytes: prepared.artifact.inlineSize
    ) { row, prepared, change in
      // A superseded attachment may have bytes: its state alone does not tell.
      guard row.artifact == nil else {
        throw KeepsakeError(
          .conflict,
          "Can't give '\(row.label)' other bytes: it is \(row.state.rawValue) and has its own. Attach them as another attachment, made from it.",
          object: row.label)
      }
      let kept = try handle.artifacts.keep(prepared.artifact, handle: handle, in: change)
      row.artifact = kept.home?.number
      row.state = .present
      return kept.size
    }
  }

  /// The bytes of a source that are ready to be kept.
  private struct PreparedSource: Renewable {
    private let source: ArtifactSource
    let artifact: PreparedArtifact
    var takenIn: [PreparedArtifact] { [artifact] }

    init(_ source: ArtifactSource, handle: StoreHandle) async throws {
      self.source = source
      artifact = try await handle.artifacts.prepare(source)
    }

    func renewed(_ handle: StoreHandle) async throws -> PreparedSource {
      // A source is not used up if the store held its bytes already.
      if case .known = artifact.content { return try await PreparedSource(source, handle: handle) }
      return self
    }
  }

  /// Records that an attachment's bytes will not come, or that another attempt replaced it. Bytes that it has stay.
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - state: The new state, such as `failed`, `missing` or `superseded`.
  /// - Returns: The attachment as it is stored.
  /// - Throws: ``KeepsakeError``: `invalid` for `present` and `erased`, `conflict` if the attachment was erased, or has its
  ///   bytes and the state is not `superseded`.
  @concurrent @discardableResult
  public func settle(_ attachment: Entry.Attachment, as state: Entry.Attachment.State) async throws
    -> Entry.Attachment
  {
    guard state != .present, state != .erased else {
      throw KeepsakeError(
        .invalid,
        state == .present
          ? "Can't call an attachment present without its bytes: settle it with a source."
          : "Can't call an attachment erased: erase it.", object: attachment.label)
    }
    return try await change(attachment, as: .settle) { row, _ in
      guard row.artifact == nil || state == .superseded else {
        throw KeepsakeError(
          .conflict, "Can't call '\(row.label)' \(state.rawValue): it has its bytes.",
          object: row.label)
      }
      row.state = state
      return 0
    }
  }

  /// Adds a caption to an attachment. Its other captions stay.
  /// - Throws: ``KeepsakeError``: `conflict` if the attachment was erased.
  @concurrent @discardableResult
  public func caption(
    _ attachment: Entry.Attachment, _ text: String, author: String? = nil
  ) async throws -> Entry.Attachment {
    try await change(attachment, as: .caption) { row, _ in
      row.captions = Entry.Attachment.encode(
        Entry.Attachment.captions(row.captions) + [.init(text, author: author)])
      return 0
    }
  }

  /// Binds an attachment that was recorded without an entry to an entry.
  /// - Parameters:
  ///   - attachment: The attachment.
  ///   - position: The position of the entry.
  ///   - segment: The index of the segment that the attachment stands in; nil for none.
  ///   - place: The place in the entry's content; nil for none.
  /// - Returns: The attachment as it is stored.
  /// - Throws: ``KeepsakeError``: `conflict` if the attachment belongs to an entry already, or was erased.
  @concurrent @discardableResult
  public func bind(
    _ attachment: Entry.Attachment, to position: Int, segment: Int? = nil,
    place: Entry.Attachment.Place? = nil
  ) async throws -> Entry.Attachment {
    try place?.validate()
    let session = self
    return try await change(attachment, as: .bind) { row, change in
      let entries = try SessionRow(session, in: change.db).entries
      guard position >= 0, position < entries else {
        throw KeepsakeError.noPosition(position, in: session.id, entries: entries)
      }
      guard row.entry == nil else {
        throw KeepsakeError(
          .conflict,
          "Can't bind '\(row.label)' to position \(position): it stands at \(row.entry?.position ?? 0).",
          object: row.label)
      }
      row.entry = session.lineage.id(of: position)
      row.segment = segment
      switch place {
      case .pointer(let pointer): row.pointer = pointer
      case .range(let range): row.range = range
      case nil: break
      }
      return 0
    }
  }

  private func change(
    _ attachment: Entry.Attachment, as operation: Chain.Operation,
    _ body: @escaping @Sendable (inout AttachmentRow, Change) throws -> Int64
  ) async throws -> Entry.Attachment {
    let nothing: [PreparedSource] = []
    return try await change(attachment, as: operation, preparing: nothing) { row, _, change in
      try body(&row, change)
    }
  }

  /// Changes a recorded attachment. `body` returns the number of bytes that the change adds in artifacts.
  private func change<Prepared: Renewable>(
    _ attachment: Entry.Attachment, as operation: Chain.Operation, preparing prepared: Prepared,
    bytes: Int = 0,
    _ body: @escaping @Sendable (inout AttachmentRow, Prepared, Change) throws -> Int64
  ) async throws -> Entry.Attachment {
    let session = self
    return try await handle.write(prepared, in: id, bytes: bytes, isCancellable: false) {
      prepared, change in
      var row = try SessionRow(session, in: change.db)
      guard
        var recorded = try change.db.attachments.row(attachment.recording, of: session.number)
      else {
        throw KeepsakeError(
          .notFound,
          "'\(attachment.label)' is not an attachment of session \(session.id). Ask the session that recorded it.",
          object: attachment.label)
      }
      // An erased attachment stays erased: a state or a caption would put something in place of its content.
      guard recorded.state != .erased else {
        throw KeepsakeError(
          .conflict,
          "Can't change '\(recorded.label)': it was erased. Attach something new instead.",
          object: recorded.label)
      }
      let wasLoose = recorded.entry == nil
      row.bytes += try body(&recorded, prepared, change)
      if wasLoose { try session.countInForks(recorded, in: change.db) }
      let value = try session.rewrite(&recorded, as: operation, row: &row, in: change)
      if row.cover == nil, value.artifact?.sniffedType.isImage == true {
        row.cover = recorded.number
      }
      try row.save(in: change.db)
      return value
    }
  }
}
