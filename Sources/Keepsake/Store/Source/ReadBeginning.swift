import KeepsakeFiles

/// The beginning of a file as it was read: its hash, to go on from, and its last bytes.
final class ReadBeginning: Sendable {
  private let hash: SHA256
  /// The number of bytes in the beginning.
  let size: Int64
  private let tail: [UInt8]

  init(_ hash: consuming SHA256, size: Int64, tail: [UInt8]) {
    self.hash = hash
    self.size = size
    self.tail = tail
  }

  /// Returns a hasher that has seen the beginning, and goes on behind it.
  func hasher() -> BeginningHasher { BeginningHasher(hash.copy(), size: size, tail: tail) }

  /// Tells whether a file still has the last bytes of the beginning in their place.
  ///
  /// Programs that write a file anew, or cut it and go on in another way, write other bytes there.
  func stands(in growth: ForeignSource.Growth) throws -> Bool {
    guard size <= growth.size else { return false }
    return try growth.bytes(size - Int64(tail.count)..<size) == tail
  }
}
