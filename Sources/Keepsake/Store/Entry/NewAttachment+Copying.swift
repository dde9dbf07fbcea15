extension Entry.NewAttachment {
  /// Copies an attachment of another session, with its bytes; nil for an attachment without bytes.
  init?(copying old: Entry.Attachment, to handle: StoreHandle) async throws {
    guard let artifact = old.artifact else { return nil }
    let isHere = artifact.home.map { $0.store === handle.store } ?? true
    try self.init(
      copying: old, from: isHere ? .artifact(artifact.id) : .data(try await artifact.data()),
      to: handle)
  }

  /// Copies the description of an attachment, with bytes from a given source, or none.
  fileprivate init(
    copying old: Entry.Attachment, from source: ArtifactSource?, to handle: StoreHandle
  )
    throws
  {
    let maker: Entry.MadeBy =
      switch old.maker {
      case .toolCall:
        if let id = old.callID { .toolCall(.init(id: id, tool: old.tool ?? "")) } else { .source }
      case .step: .step(old.tool ?? "")
      case .response: .response
      case .user: .user
      case .source: .source
      }
    self.init(
      source ?? .bytes([]), mediaType: old.mediaType, fileName: old.fileName,
      // A mention of an artifact in text that gives no label leaves the label to the session.
      label: old.label.isEmpty ? nil : old.label, madeBy: maker)
    if source == nil {
      self.source = nil
      state = old.state
    }
    captions = old.captions
    direction = old.direction
    segment = old.segment
    place = old.place
    reference = old.reference
    basis = old.basis
    // The other session's positions mean nothing here, and an artifact that this store lacks can't be named as an input.
    inputs = try handle.read { db in
      try old.inputs.filter { input in
        guard case .artifact(let id) = input else { return false }
        return try handle.artifacts.row(id.digest, in: db) != nil
      }
    }
  }
}

extension Session {
  /// Appends entries that were read elsewhere, with their attachments; after an error none of them is appended.
  ///
  /// - Parameters:
  ///   - copies: The entries, whose attachments name artifacts.
  ///   - sources: The bytes of artifacts that the store may lack.
  /// - Returns: The stored entries.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if an artifact is neither in `sources` nor in the store.
  @concurrent
  package func append(copies: [Entry], from sources: [Artifact.ID: ArtifactSource] = [:])
    async throws -> [Entry]
  {
    var entries: [(Entry, [Entry.NewAttachment])] = []
    for var entry in copies {
      let attachments = try entry.attachments.map { old in
        let source = old.artifact.map { sources[$0.id] ?? .artifact($0.id) }
        guard source != nil || old.state != .present else {
          throw KeepsakeError(
            .invalid,
            "Can't append the attachment '\(old.label)': it is present and names no artifact.",
            object: old.label)
        }
        return try Entry.NewAttachment(
          copying: old, from: old.state == .present ? source : nil, to: handle)
      }
      entry.attachments = []
      entries.append((entry, attachments))
    }
    return try await append(entries)
  }
}
