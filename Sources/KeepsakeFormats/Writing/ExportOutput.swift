import Keepsake

/// Takes what a codec writes.
struct ExportOutput: Sendable {
  /// Takes the next piece of the file.
  let take: @Sendable ([UInt8]) throws -> Void
  /// Puts an artifact into the folder beside the file, under a name like this one, once for each artifact; it says the path
  /// from the file to it. nil where there is no such folder.
  var place: (@Sendable (_ artifact: Artifact, _ name: String) async throws -> String)?
}
