/// The way in which a file is packed, as its content shows it.
package enum Packing: Sendable, Hashable {
  case zip, gzip, zstd

  /// The number of bytes at the beginning of a file that show its packing.
  package static let headSize = 4

  /// Detects the packing of a file with this beginning; nil where the file is not packed, or in an unknown way.
  package init?(head: some Collection<UInt8>) {
    func begins(_ signature: [UInt8]) -> Bool { head.starts(with: signature) }
    // An empty zip archive consists of its end record only.
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

  /// A phrase for a file that is packed in this way.
  package var title: String {
    switch self {
    case .zip: "a zip archive"
    case .gzip: "a file compressed with gzip"
    case .zstd: "a file compressed with zstd"
    }
  }
}
