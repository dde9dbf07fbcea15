extension Store {
  /// Takes in the bytes of an artifact that no attachment names yet, because its entry comes later.
  ///
  /// A sweep removes such an artifact, so the entry should come soon. The artifact is durable when this returns.
  /// - Parameters:
  ///   - source: The bytes.
  ///   - id: The name that the bytes must have.
  /// - Returns: The artifact.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` where the bytes have another name, and nothing is kept.
  @concurrent
  package func take(_ source: ArtifactSource, as id: Artifact.ID) async throws -> Artifact {
    let handle = handle
    let prepared = try await handle.artifacts.prepare(source)
    guard prepared.digest == id.digest else {
      throw KeepsakeError(
        .invalid, "The bytes are not those of \(id): they are \(Artifact.ID(prepared.digest)).",
        object: id.description)
    }
    return try await handle.write(bytes: prepared.inlineSize) { change in
      try handle.artifacts.keep(prepared, handle: handle, in: change)
    }
  }
}
