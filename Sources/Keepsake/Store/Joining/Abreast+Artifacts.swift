extension Abreast {
  /// The number of small artifacts that are sent to a hub, or fetched from it, at a time. A hub that is far away takes long to answer for
  /// each artifact.
  static let artifactLimit = 4
  /// The size up to which artifacts go several at a time. A larger artifact keeps the line busy by itself, and may need a connection to a
  /// database for long.
  private static let smallArtifact: Int64 = 1 << 20

  /// Runs a body for each artifact: several small ones at a time, and then large ones one by one.
  ///
  /// - Parameters:
  ///   - artifacts: The artifacts.
  ///   - size: A closure that returns the size of an artifact.
  ///   - body: A body that sends or fetches an artifact.
  ///   - take: A closure that gets each artifact and the result of its body.
  /// - Throws: The first error; the other bodies are cancelled, and waited for.
  static func forEachArtifact<Item: Sendable, Result: Sendable>(
    _ artifacts: [Item], size: (Item) throws -> Int64,
    _ body: @escaping @Sendable (Item) async throws -> Result,
    _ take: (Item, Result) throws -> Void
  ) async throws {
    var ordered = artifacts
    let large = try ordered.partition { try size($0) > smallArtifact }
    for (some, limit) in [(Array(ordered[..<large]), artifactLimit), (Array(ordered[large...]), 1)]
    {
      try await forEach(
        some, atMost: limit,
        { artifact in
          try Task.checkCancellation()
          return try await body(artifact)
        }, { try take(some[$0], $1) })
    }
  }
}
