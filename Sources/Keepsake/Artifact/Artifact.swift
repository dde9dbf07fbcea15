public import KeepsakeFiles

/// Exact bytes, kept once in a store and named by their SHA-256.
///
/// What somebody says of them (a type, a name, a caption) belongs to the attachment where they occur, not here.
public struct Artifact: Sendable, Hashable, Identifiable {
  /// `sha256:` and 64 hexadecimal digits.
  public struct ID: Sendable, Hashable, Codable, Comparable, LosslessStringConvertible {
    public let digest: SHA256Digest

    public init(_ digest: SHA256Digest) { self.digest = digest }

    /// Reads `sha256:<hex>`, or the hexadecimal digits alone.
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

    public var description: String { "sha256:" + digest.hex }

    public static func < (a: ID, b: ID) -> Bool { a.digest < b.digest }
  }

  public let id: ID
  public let size: Int64
  /// What the bytes themselves say they are.
  public let sniffedType: MediaType
  /// Of an image whose format we can read.
  public let pixelSize: PixelSize?

  /// Where the bytes are. No part of what an artifact is: two stores' copies are equal.
  let home: Home?

  public static func == (a: Artifact, b: Artifact) -> Bool { a.id == b.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  struct Home: Sendable {
    let store: OpenStore
    let number: Int64
    let place: Place
  }

  enum Place: Int, Sendable {
    case row = 0
    case file = 1
  }

  /// Up to this size artifacts are rows of the database, above it files.
  static let inlineLimit = 128 << 10
}
