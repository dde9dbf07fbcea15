import Keepsake

/// The media type of foreign JSON that is kept as an artifact because it is too large for an entry.
enum OpaqueType {
  private static let prefix = "application/json; keepsake-content="

  static func mediaType(_ name: String) -> MediaType { MediaType(prefix + name) }

  /// The type of opaque content that a media type stands for; nil for the media type of a real file.
  static func name(of mediaType: MediaType?) -> String? {
    guard let text = mediaType?.description, text.hasPrefix(prefix) else { return nil }
    return String(text.dropFirst(prefix.count))
  }
}
