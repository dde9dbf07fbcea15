import KeepsakeFiles

extension Store {
  /// Audits an artifact: each of its attachments with the chain back to the prompt, its inputs and its products.
  ///
  /// The cost grows with the number of attachments.
  /// - Parameters:
  ///   - artifact: The id of the artifact.
  ///   - limit: The most attachments of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  /// - Returns: The trail of the artifact.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the store does not know the artifact.
  @concurrent
  public func audit(
    _ artifact: Artifact.ID, limit: Int = .max, after cursor: Audit.Cursor? = nil
  ) async throws -> Audit.Trail {
    let handle = handle
    try await handle.refresh(having: HubTerm(.artifact, artifact.digest.bytes))
    return try handle.read { db in
      let row = try Self.row(artifact, handle: handle, in: db)
      let limit = max(1, limit)
      let reader = AuditReader(handle, in: db)
      var attachments = try reader.occurrences(
        reader.attachments.rows(
          ofArtifact: row.number, after: cursor?.recording ?? 0,
          atMost: limit == .max ? .max : limit + 1))
      let hasMore = attachments.count > limit
      if hasMore { attachments.removeLast(attachments.count - limit) }
      return Audit.Trail(
        artifact: artifact, size: row.size,
        sniffedType: MediaType(row.type ?? "application/octet-stream"), pixelSize: row.pixels,
        attachments: attachments,
        next: hasMore ? attachments.last.map { .init(recording: $0.recording) } : nil,
        madeFrom: try Self.inputs(of: row.number, handle: handle, in: db),
        madeInto: try Self.products(of: row.number, reader))
    }
  }

  /// Lists what a tool, or a step of the app, made: newest first in the order of recording, a page at a time.
  ///
  /// - Parameters:
  ///   - tool: The name of the tool or step.
  ///   - limit: The most products of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  /// - Returns: The page.
  /// - Throws: A ``KeepsakeError`` if the store can't be read.
  @concurrent
  public func audit(tool: String, limit: Int = 50, after cursor: Audit.Cursor? = nil) async throws
    -> Audit.Page
  {
    let handle = handle
    try await handle.refresh(having: HubTerm(.tool, tool))
    return try handle.read { db in
      let limit = max(1, limit)
      let reader = AuditReader(handle, in: db)
      let products = try reader.products(
        reader.attachments.rows(
          ofTool: tool, before: cursor?.recording ?? .max,
          atMost: limit == .max ? .max : limit + 1))
      let page = Array(products.prefix(limit))
      return Audit.Page(
        products: page,
        next: products.count > limit ? page.last.map { .init(recording: $0.recording) } : nil)
    }
  }

  /// Returns the inputs from which an artifact was made, one step back, as its attachments name them.
  ///
  /// - Parameter artifact: The id of the artifact.
  /// - Returns: The inputs.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the store does not know the artifact.
  @concurrent
  public func madeFrom(_ artifact: Artifact.ID) async throws -> [Audit.Input] {
    let handle = handle
    try await handle.refresh(having: HubTerm(.artifact, artifact.digest.bytes))
    return try handle.read { db in
      try Self.inputs(of: Self.row(artifact, handle: handle, in: db).number, handle: handle, in: db)
    }
  }

  /// Returns the attachments that were made from an artifact, one step on, in the order of recording.
  ///
  /// - Parameter artifact: The id of the artifact.
  /// - Returns: The products.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the store does not know the artifact.
  @concurrent
  public func madeInto(_ artifact: Artifact.ID) async throws -> [Audit.Product] {
    let handle = handle
    try await handle.refresh(having: HubTerm(.artifact, artifact.digest.bytes))
    return try handle.read { db in
      try Self.products(
        of: Self.row(artifact, handle: handle, in: db).number, AuditReader(handle, in: db))
    }
  }

  private static func row(_ artifact: Artifact.ID, handle: StoreHandle, in db: Tables) throws
    -> ArtifactRow
  {
    guard let row = try handle.artifacts.row(artifact.digest, in: db) else {
      throw KeepsakeError.noArtifact(artifact)
    }
    return row
  }
}

extension Store {
  private static func inputs(of artifact: Int64, handle: StoreHandle, in db: Tables) throws
    -> [Audit.Input]
  {
    var found: [Audit.Input] = []
    var seen: Set<String> = []
    for (row, value) in try AttachmentReader(handle, in: db).rowsWithInputs(ofArtifact: artifact) {
      for input in value.inputs {
        switch input {
        case .artifact(let id):
          guard seen.insert(id.description).inserted else { continue }
          found.append(
            .init(recording: row.number, session: value.session, artifact: id, position: nil))
        case .entry(let position):
          guard seen.insert("\(value.session) \(position)").inserted else { continue }
          found.append(
            .init(recording: row.number, session: value.session, artifact: nil, position: position))
        }
      }
    }
    return found
  }

  private static func products(of artifact: Int64, _ reader: AuditReader) throws
    -> [Audit.Product]
  {
    try reader.products(reader.attachments.rows(madeFrom: artifact))
  }
}
