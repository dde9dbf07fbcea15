import KeepsakeFiles

/// Hashes a file from its start, and keeps the last bytes that it saw.
struct BeginningHasher: ~Copyable {
  private var hash: SHA256
  /// The number of bytes that were added so far.
  private(set) var size: Int64
  private var tail: [UInt8]

  private static let tailSize = 4096

  init() { self.init(SHA256(), size: 0, tail: []) }

  init(_ hash: consuming SHA256, size: Int64, tail: [UInt8]) {
    self.hash = hash
    self.size = size
    self.tail = tail
  }

  /// Adds more bytes.
  mutating func update(_ bytes: [UInt8]) {
    hash.update(bytes)
    size += Int64(bytes.count)
    if bytes.count >= Self.tailSize {
      tail = Array(bytes.suffix(Self.tailSize))
    } else {
      tail += bytes
      // The tail is cut only when it is several times too long, so that its bytes are not moved for each short line.
      if tail.count > 4 * Self.tailSize { tail = Array(tail.suffix(Self.tailSize)) }
    }
  }

  /// The beginning of the file up to the last byte that was added.
  var beginning: ReadBeginning {
    ReadBeginning(hash.copy(), size: size, tail: Array(tail.suffix(Self.tailSize)))
  }

  /// The digest of all bytes that were added so far.
  var digest: SHA256Digest {
    var hash = hash.copy()
    return hash.finalize()
  }
}
