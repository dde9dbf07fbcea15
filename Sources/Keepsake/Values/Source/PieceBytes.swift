import KeepsakeFiles

/// The bytes of a piece without its spans, as its row has them: as they stand, or packed.
///
/// A record that repeats many images has the same words around each of them, and packed they take a thirtieth. A record
/// without images is never packed: that would make the import of text slower, and its text could not be read with SQL.
struct PieceBytes: Equatable, Sendable {
  let stored: [UInt8]
  /// The number of bytes before they were packed; nil if they stand as they are.
  let size: Int?

  /// The size below which packing is not worth it: a row takes little more than this by itself.
  static let leastSize = 1024
  /// The number of bytes of base64 that have to be cut out for each byte that is packed.
  ///
  /// A byte takes about three times as long to pack as to import. So no file takes more than a tenth longer, and one with
  /// images of the usual size no longer at all.
  static let leastShare = 32

  /// Keeps bytes as they stand.
  init(_ bytes: [UInt8]) { self.init(bytes, size: nil) }

  /// Keeps what is left of a record, packed if that pays.
  /// - Parameters:
  ///   - bytes: The bytes that are left.
  ///   - cut: The number of bytes of base64 that were cut out.
  init(_ bytes: [UInt8], besides cut: Int) {
    if bytes.count >= Self.leastSize, cut / Self.leastShare >= bytes.count,
      let packed = Zlib.packed(bytes, within: bytes.count - bytes.count / 8)
    {
      self.init(packed, size: bytes.count)
    } else {
      self.init(bytes)
    }
  }

  /// Takes the bytes of a row.
  init(_ stored: [UInt8], size: Int?) {
    self.stored = stored
    self.size = size
  }

  /// Returns the bytes as they stood in the file.
  func unpacked() throws(KeepsakeError) -> [UInt8] {
    guard let size else { return stored }
    guard let bytes = Zlib.unpacked(stored, size: size) else {
      throw KeepsakeError(
        .damaged, "A piece of a source is packed, and can't be unpacked.", remedy: .verify)
    }
    return bytes
  }
}
