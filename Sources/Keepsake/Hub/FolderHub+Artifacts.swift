import KeepsakeFiles

extension FolderHub {
  private static let piece = 1 << 20

  package func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await run { [self] in try lacking(artifacts) }
  }

  package func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    try await threads.run { [self] in
      try requireInPlace()
      try place(artifact, hand)
    }
  }

  package func get(
    _ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    try Task.checkCancellation()
    try await threads.run { [self] in
      try requireInPlace()
      try read(artifact, take)
    }
  }

  /// Returns those of the artifacts that are not there.
  func lacking(_ artifacts: [Artifact.ID]) throws -> [Artifact.ID] {
    var shards: [String: Directory] = [:]
    return try artifacts.filter { artifact in
      let hex = artifact.digest.hex
      let name = String(hex.prefix(2))
      do throws(FileError) {
        let known = shards[name]
        let shard = if let known { known } else { try self.artifacts.subdirectory(name) }
        shards[name] = shard
        return try shard.status(hex)?.isRegular != true
      } catch {
        if error.code == .notFound { return true }
        throw error
      }
    }
  }
}

extension FolderHub {
  private func place(
    _ artifact: Artifact.ID, _ hand: (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    guard let file = try begin(artifact) else { return }
    var hash = SHA256()
    // An error of the caller's closure is given back as it is.
    try hand { bytes in
      hash.update(bytes)
      do throws(FileError) { try file.write(bytes) } catch { throw told(error) }
      try watch(.artifactHalf)
    }
    guard hash.finalize() == artifact.digest else {
      throw KeepsakeError(
        .artifactDamaged,
        "Can't put \(artifact) at the hub: the bytes are not the ones that its name promises. Verify the store.",
        object: artifact.description)
    }
    try watch(.artifactWritten)
    // Two writers of one artifact replace each other's file by the same bytes.
    do throws(FileError) { try file.finish() } catch { throw told(error) }
    try watch(.artifactPlaced)
  }

  /// Begins the file of an artifact; nil where the right bytes are there, durably.
  private func begin(_ artifact: Artifact.ID) throws -> NewFile? {
    let hex = artifact.digest.hex
    let file: NewFile
    do throws(FileError) {
      let shard = try durableShard(String(hex.prefix(2)))
      if try shard.exists(hex), try isRight(artifact, in: shard) {
        // The process that put the artifact may have ended before the name was durable.
        try shard.sync()
        return nil
      }
      // Bytes that are wrong are replaced by the right ones.
      file = try NewFile(hex, in: shard, replacing: true, mode: 0o444)
    } catch { throw told(error) }
    try watch(.artifactBegun)
    return file
  }

  private func durableShard(_ name: String) throws(FileError) -> Directory {
    let isDurable = durableShards.withLock { $0.contains(name) }
    let shard = try artifacts.subdirectory(name, create: !isDurable, mode: 0o777)
    durableShards.withLock { _ = $0.insert(name) }
    return shard
  }

  private func isRight(_ artifact: Artifact.ID, in shard: Directory) throws(FileError) -> Bool {
    do throws(FileError) {
      let file = try shard.openFile(artifact.digest.hex)
      return try Ingest.hash(file).digest == artifact.digest
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  private func read(_ artifact: Artifact.ID, _ take: ([UInt8]) throws -> Void) throws {
    let file = try opened(artifact)
    var hash = SHA256()
    var offset: Int64 = 0
    while true {
      var bytes: [UInt8]
      do throws(FileError) {
        bytes = [UInt8](
          repeating: 0, count: Int(min(Int64(Self.piece), max(0, try file.size - offset))))
        bytes.removeLast(bytes.count - (try file.read(into: &bytes, at: offset)))
      } catch { throw told(error) }
      guard !bytes.isEmpty else { break }
      hash.update(bytes)
      // An error of the caller's closure is given back as it is.
      try take(bytes)
      offset += Int64(bytes.count)
    }
    guard hash.finalize() == artifact.digest else { throw altered(artifact) }
  }

  private func opened(_ artifact: Artifact.ID) throws -> FileDescriptor {
    let hex = artifact.digest.hex
    do throws(FileError) {
      let shard = try artifacts.subdirectory(String(hex.prefix(2)))
      if let file = try Self.file(hex, in: shard) { return file }
      // An artifact that another store is about to remove has another name until that store knows whether it is needed.
      for name in try Self.names(of: hex, goingIn: shard) {
        if let file = try Self.file(name, in: shard) { return file }
      }
      return try shard.openFile(hex)
    } catch {
      switch error.code {
      case .notFound:
        throw KeepsakeError(
          .artifactMissing, "The hub at '\(path)' does not have \(artifact).",
          object: artifact.description, cause: error)
      case .notRegular, .link: throw altered(artifact)
      default: throw told(error)
      }
    }
  }

  /// Opens a file; nil if it is not there.
  private static func file(_ name: String, in shard: Directory) throws(FileError) -> FileDescriptor?
  {
    do { return try shard.openFile(name) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private func altered(_ artifact: Artifact.ID) -> KeepsakeError {
    KeepsakeError(
      .artifactDamaged,
      "The bytes of \(artifact) in the hub at '\(path)' were altered. A store that has the artifact can put it again.",
      object: artifact.description, cause: HubFault.damaged(session: nil))
  }
}
