import KeepsakeFiles

/// A text that is too large for a row of the database, and is kept as an artifact that the entry's body names.
enum LargeText {
  /// The size in bytes of UTF-8 above which a text is kept as an artifact.
  static let limit = 1 << 20
  /// The type of the opaque segment that stands for a large text between decoding and resolving.
  static let placeholder = "keepsake.textArtifact"

  /// Computes the name of the artifact that a text becomes.
  static func id(of text: String) -> Artifact.ID {
    var hash = SHA256()
    hash.update(text)
    return Artifact.ID(hash.finalize())
  }
}
