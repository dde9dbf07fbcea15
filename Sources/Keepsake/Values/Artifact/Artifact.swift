package import KeepsakeFiles

/// Exact bytes, kept once in a store and named by their SHA-256.
///
/// A declared type, a file name or a caption belongs to each attachment of the artifact, not to the artifact.
public struct Artifact: Sendable, Hashable, Identifiable {
  /// The name of an artifact: `sha256:` and 64 hexadecimal digits.
  public struct ID: Sendable, Hashable, Codable, Comparable, LosslessStringConvertible {
    /// The SHA-256 of the bytes.
    package let digest: SHA256Digest

    /// Creates an id from a digest.
    package init(_ digest: SHA256Digest) { self.digest = digest }

    /// Reads `sha256:<hex>`, or the hexadecimal digits alone; nil for any other text.
    public init?(_ description: String) {
      let prefix = "sha256:"
      let hex =
        description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
      guard let digest = SHA256Digest(hex: hex) else { return nil }
      self.digest = digest
    }

    public init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let id = ID(text) else {
        throw KeepsakeError(
          .invalid,
          "'\(text)' does not name an artifact: it takes 'sha256:' and 64 hexadecimal digits.")
      }
      self = id
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(description)
    }

    /// The SHA-256 of the bytes as 64 hexadecimal digits in lower case, as `sha256sum` prints it.
    public var hex: String { digest.hex }

    /// The id as `sha256:<hex>`.
    public var description: String { "sha256:" + digest.hex }

    public static func < (a: ID, b: ID) -> Bool { a.digest < b.digest }
  }

  /// The name of the bytes.
  public let id: ID
  /// The number of bytes.
  public let size: Int64
  /// The media type that the bytes themselves show.
  public let sniffedType: MediaType
  /// The size of an image in pixels, if its format is known.
  public let pixelSize: PixelSize?

  /// The store that has the bytes; artifacts of two stores are equal if their ids are.
  let home: Home?

  public static func == (a: Artifact, b: Artifact) -> Bool { a.id == b.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The store and the place of an artifact's bytes.
  struct Home: Sendable {
    let store: any ArtifactStore
    let number: Int64
    let place: Place
  }

  /// The place of bytes in a store: in the database, or in a file.
  enum Place: Int, Sendable {
    case row = 0
    case file = 1
  }

  /// The size in bytes up to which artifacts are rows of the database; larger ones are files.
  static let inlineLimit = 128 << 10
}
