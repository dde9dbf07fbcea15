import Keepsake

/// The output that a codec writes to.
struct ExportOutput: Sendable {
  /// Takes the next bytes of the file.
  let take: @Sendable ([UInt8]) throws -> Void
  /// Puts an artifact into the folder beside the file, once for each artifact, and returns the path from the file to
  /// it.
  ///
  /// The name is a suggestion. nil stands for an output without such a folder.
  var place: (@Sendable (_ artifact: Artifact, _ name: String) async throws -> String)?
}
