import KeepsakeFiles

/// A hash that has seen some bytes, to go on from.
final class KeptHash: Sendable {
  private let hash: SHA256

  init(_ hash: consuming SHA256) { self.hash = hash }

  func copy() -> SHA256 { hash.copy() }
}
