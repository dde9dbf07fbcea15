import KeepsakeFiles

/// Takes in the artifacts of a copy or a commit when a record first names them.
struct RestoreArtifacts: Sendable {
  let source: any ArtifactBytes
  let handle: StoreHandle

  /// Returns how many of some artifacts have their bytes neither in the source nor in the store.
  func missing(of ids: some Collection<Artifact.ID>) throws -> Int {
    try ids.count { try !isThere($0) }
  }

  /// Returns the artifacts that have to be here before records can be written, and those that the records also name and that
  /// are still to be had.
  func needed(by records: [CopyRecord]) throws -> [Artifact.ID] {
    let required = Set(records.flatMap(\.requiredArtifacts))
    let others = Set(records.flatMap(\.artifacts)).subtracting(required)
    return try required.union(others.filter { try isThere($0) }).sorted()
  }

  private func isThere(_ id: Artifact.ID) throws -> Bool {
    if source.bytes(of: id) != nil { return true }
    if case .right = try handle.artifacts.holding(id.digest) { return true }
    return false
  }

  /// Prepares artifacts, and checks that their bytes match their ids.
  ///
  /// Several artifacts are prepared at a time if the source allows that, or if they are large. After an error, nothing is left of any of
  /// them.
  func prepare(_ ids: [Artifact.ID], isCancellable: Bool = true) async throws
    -> [Artifact.ID: PreparedArtifact]
  {
    let sources = try ids.map { try bytes(of: $0) }
    let artifacts = handle.artifacts
    let prepared =
      if source.readableAtOnce > 1 {
        try await Abreast.map(sources, atMost: source.readableAtOnce) { source in
          if isCancellable { try Task.checkCancellation() }
          return try await artifacts.prepare(source)
        }
      } else {
        try await artifacts.prepare(sources, isCancellable: isCancellable)
      }
    for (id, artifact) in zip(ids, prepared) { try require(artifact, id) }
    return Dictionary(uniqueKeysWithValues: zip(ids, prepared))
  }

  /// Returns prepared artifacts with those taken in again whose bytes the store had when they were prepared.
  func renewed(_ artifacts: [Artifact.ID: PreparedArtifact]) async throws
    -> [Artifact.ID: PreparedArtifact]
  {
    let known = artifacts.keys.filter {
      if case .known? = artifacts[$0]?.content { true } else { false }
    }
    return artifacts.merging(try await prepare(known, isCancellable: false)) { $1 }
  }

  /// Returns a source with an artifact's bytes, preferably from the store.
  private func bytes(of id: Artifact.ID) throws -> ArtifactSource {
    if case .right = try handle.artifacts.holding(id.digest) { return .artifact(id) }
    guard let bytes = source.bytes(of: id) else {
      throw CopyFault("the bytes of \(id) are neither in it nor in the store")
    }
    return bytes
  }

  private func require(_ artifact: PreparedArtifact, _ id: Artifact.ID) throws {
    guard artifact.digest == id.digest else {
      throw CopyFault(
        "the bytes of \(id) were altered: they are not the ones that its name promises")
    }
    guard let size = source.size(of: id) else { return }
    guard artifact.size == size else {
      throw CopyFault("it says that \(id) has \(size) bytes; it has \(artifact.size)")
    }
  }
}

extension CopyRecord {
  /// The artifacts whose bytes the record needs.
  package var requiredArtifacts: [Artifact.ID] {
    (kind == .attachment || kind == .span ? [artifact].compactMap(\.self) : [])
      + children.flatMap(\.requiredArtifacts)
  }

  /// All artifacts that the record names, including inputs, which may have been erased since.
  var artifacts: [Artifact.ID] {
    requiredArtifacts + inputs
      + children.flatMap { $0.inputs }
  }

  /// Tells whether the record names artifacts.
  var namesArtifacts: Bool {
    kind == .attachment || kind == .span
      ? !artifacts.isEmpty : children.contains { $0.namesArtifacts }
  }

  /// The artifact of an attachment or a span.
  var artifact: Artifact.ID? {
    bytes("artifact").flatMap(SHA256Digest.init(bytes:)).map(Artifact.ID.init)
  }

  /// The artifacts from which an attachment's artifact was made.
  var inputs: [Artifact.ID] {
    guard kind == .attachment else { return [] }
    return Entry.Attachment.inputs(text("inputs")).compactMap {
      if case .artifact(let id) = $0 { id } else { nil }
    }
  }

  /// About how many bytes the values of the record have.
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
