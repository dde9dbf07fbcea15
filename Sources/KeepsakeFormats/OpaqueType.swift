import Keepsake

/// The media type of foreign JSON that is kept as an artifact, because it was too large for an entry.
enum OpaqueType {
  private static let prefix = "application/json; keepsake-content="

  static func mediaType(_ name: String) -> MediaType { MediaType(prefix + name) }

  /// The type of the opaque content that an attachment is; nil where it is a real one.
  static func name(of mediaType: MediaType?) -> String? {
    guard let text = mediaType?.description, text.hasPrefix(prefix) else { return nil }
    return String(text.dropFirst(prefix.count))
  }
}
