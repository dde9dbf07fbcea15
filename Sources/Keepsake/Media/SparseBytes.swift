/// The pieces of a file that have been read so far.
///
/// Reading bytes that are in no piece throws the missing range. So a parser can be written as if it had the whole file, and be
/// run again after the piece was read.
struct SparseBytes {
  /// The range of bytes that must be read before the parser can go on.
  struct Missing: Error {
    let offset: Int64
    let count: Int
  }

  private var pieces: [(offset: Int64, bytes: [UInt8])] = []

  init() {}

  init(_ head: [UInt8]) {
    add(head, at: 0)
  }

  mutating func add(_ bytes: [UInt8], at offset: Int64) {
    pieces.append((offset, bytes))
  }

  /// Reads an unsigned number of `count` (at most 4) bytes, the most significant first.
  func bigEndian(at offset: Int64, count: Int) throws(Missing) -> Int64 {
    try bytes(at: offset, count: count).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Reads an unsigned number of `count` (at most 4) bytes, the least significant first.
  func littleEndian(at offset: Int64, count: Int) throws(Missing) -> Int64 {
    try bytes(at: offset, count: count).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  func has(_ expected: String, at offset: Int64) throws(Missing) -> Bool {
    try bytes(at: offset, count: expected.utf8.count).elementsEqual(expected.utf8)
  }

  /// Returns a few bytes, which must be in a single piece.
  func bytes(at offset: Int64, count: Int) throws(Missing) -> ArraySlice<UInt8> {
    // The piece that was read last comes first, because a parser mostly goes on there.
    for piece in pieces.reversed() where offset >= piece.offset {
      let skipped = offset - piece.offset
      if skipped <= Int64(piece.bytes.count) - Int64(count) {
        return piece.bytes[Int(skipped)..<Int(skipped) + count]
      }
    }
    throw Missing(offset: offset, count: count)
  }
}
