/// How a file is packed, as its content shows, whatever its name is.
public enum Packing: Sendable, Hashable {
  case zip, gzip, zstd

  /// How many bytes of a file show it.
  public static let headSize = 4

  /// How a file is packed that begins with these bytes; nil where it is not, or in a way that is not known here.
  public init?(head: some Collection<UInt8>) {
    func begins(_ signature: [UInt8]) -> Bool { head.starts(with: signature) }
    // An empty archive has its end alone.
    if begins([0x50, 0x4B, 3, 4]) || begins([0x50, 0x4B, 5, 6]) {
      self = .zip
    } else if begins([0x1F, 0x8B]) {
      self = .gzip
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstd
    } else {
      return nil
    }
  }

  /// What a person calls a file that is packed so.
  public var title: String {
    switch self {
    case .zip: "a zip archive"
    case .gzip: "a file compressed with gzip"
    case .zstd: "a file compressed with zstd"
    }
  }
}
