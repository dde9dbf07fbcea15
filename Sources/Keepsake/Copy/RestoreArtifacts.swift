import Files

/// Takes in the artifacts of a copy when a record first names them.
struct RestoreArtifacts: Sendable {
  let source: any CopySource
  let core: StoreCore

  /// How many artifacts there are whose bytes are neither in the copy nor in the store.
  func missing() throws -> Int {
    try source.manifest.artifacts.keys.count { id in
      guard source.bytes(of: id) == nil else { return false }
      if case .right = try core.artifacts.holding(id.digest) { return false }
      return true
    }
  }

  /// An artifact, ready to be kept: its bytes are those that its name promises.
  func prepare(_ id: Artifact.ID) async throws -> PreparedArtifact {
    guard let size = source.manifest.artifacts[id] else {
      throw CopyFault("it names \(id), which is not among its artifacts")
    }
    if case .right(let row) = try core.artifacts.holding(id.digest) {
      guard row.size == size else {
        throw CopyFault("it says that \(id) has \(size) bytes; it has \(row.size)")
      }
      return try await core.artifacts.prepare(.artifact(id))
    }
    guard let bytes = source.bytes(of: id) else {
      throw CopyFault("the bytes of \(id) are neither in it nor in the store")
    }
    let prepared = try await core.artifacts.prepare(bytes)
    guard prepared.size == size else {
      throw CopyFault("\(id) should have \(size) bytes and has \(prepared.size)")
    }
    guard prepared.digest == id.digest else {
      throw CopyFault(
        "the bytes of \(id) were altered: they are not the ones that its name promises")
    }
    return prepared
  }
}

/// A record that is checked against its digest, with the artifacts that it names, ready to be written.
struct PreparedCopy: Renewable {
  let record: CopyRecord
  private(set) var artifacts: [Artifact.ID: PreparedArtifact] = [:]
  private let source: RestoreArtifacts

  init(
    _ record: CopyRecord, _ source: RestoreArtifacts, sharing: inout [Artifact.ID: PreparedArtifact]
  ) async throws {
    self.record = record
    self.source = source
    for id in record.artifacts where source.source.manifest.artifacts[id] != nil {
      if sharing[id] == nil { sharing[id] = try await source.prepare(id) }
      artifacts[id] = sharing[id]
    }
  }

  func renewed(_ core: StoreCore) async throws -> PreparedCopy {
    var renewed = self
    for (id, artifact) in artifacts {
      guard case .known = artifact.content else { continue }
      renewed.artifacts[id] = try await source.prepare(id)
    }
    return renewed
  }

  /// About how much it holds in memory and adds to a transaction.
  var size: Int { artifacts.values.reduce(record.size) { $0 + $1.inlineSize } }
}

extension CopyRecord {
  /// The artifacts that must be there for it.
  var requiredArtifacts: [Artifact.ID] {
    (kind == .attachment || kind == .span ? [artifact].compactMap(\.self) : [])
      + children.flatMap(\.requiredArtifacts)
  }

  /// All artifacts that it names, with what something was made from: that may have been erased since.
  var artifacts: [Artifact.ID] {
    requiredArtifacts + inputs
      + children.flatMap { $0.inputs }
  }

  /// The one that it is about.
  var artifact: Artifact.ID? {
    bytes("artifact").flatMap(SHA256Digest.init(bytes:)).map(Artifact.ID.init)
  }

  /// The artifacts that an attachment was made from.
  var inputs: [Artifact.ID] {
    guard kind == .attachment else { return [] }
    return Entry.Attachment.inputs(text("inputs")).compactMap {
      if case .artifact(let id) = $0 { id } else { nil }
    }
  }

  /// About how many bytes its values have.
  var size: Int {
    var size = 64
    for value in values {
      switch value {
      case .null, .integer: size += 8
      case .text(let bytes), .blob(let bytes): size += bytes.count
      }
    }
    return children.reduce(size) { $0 + $1.size }
  }
}
