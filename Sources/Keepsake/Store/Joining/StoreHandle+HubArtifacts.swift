extension StoreHandle {
  /// Puts artifacts of the store at a hub. An artifact that the store does not have is left out.
  /// - Parameters:
  ///   - artifacts: The names of the artifacts.
  ///   - hub: The hub.
  ///   - took: A closure that gets each artifact once the hub has it.
  func put(_ artifacts: [Artifact.ID], at hub: any Hub, took: (Artifact) throws -> Void)
    async throws
  {
    try await Abreast.forEachArtifact(artifacts) {
      try self.artifact($0)?.size ?? 0
    } _: { [self] id in
      guard let artifact = try self.artifact(id) else { return nil }
      do { try await hub.put(artifact) } catch let error as KeepsakeError
        where error.code == .artifactMissing
      {
        // Another program may have removed the artifact before its bytes were read. It is damage only if the artifact is still listed.
        if try self.artifact(id) != nil { throw error }
        return nil
      }
      return artifact
    } _: { (_, artifact: Artifact?) in
      if let artifact { try took(artifact) }
    }
  }

  /// Returns an artifact of the store; nil if there is none with the name.
  func artifact(_ id: Artifact.ID) throws -> Artifact? {
    try read { db in
      try db.artifacts.number(of: id.digest).map {
        try artifacts.artifact(number: $0, handle: self, in: db)
      }
    }
  }

  /// Tells whether the store has the right bytes of an artifact.
  func has(_ artifact: Artifact.ID) -> Bool {
    if case .right? = try? artifacts.holding(artifact.digest) { true } else { false }
  }
}

extension Hub {
  /// Puts the bytes of a store's artifact.
  fileprivate func put(_ artifact: Artifact) async throws {
    try await put(artifact.id) { take in
      var start: Int64 = 0
      repeat {
        let end = min(start + 1 << 20, artifact.size)
        try take(try artifact.bytes(in: start..<end))
        start = end
      } while start < artifact.size
    }
  }
}
