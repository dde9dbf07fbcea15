import CKeepsakeZlib

/// Packs bytes as zlib does (RFC 1950), with a checksum at their end, so that any program with zlib unpacks them.
package enum Zlib {
  /// Packs bytes at zlib's fastest level.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to pack.
  ///   - limit: The largest size that is worth having.
  /// - Returns: The packed bytes; nil if they are more than the limit.
  package static func packed(_ bytes: [UInt8], within limit: Int) -> [UInt8]? {
    unsafe filled(limit) { buffer, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe compress2(
          buffer, &size, source.baseAddress, uLong(source.count), Z_BEST_SPEED) == Z_OK
      }
    }
  }

  /// Unpacks bytes.
  ///
  /// - Parameters:
  ///   - packed: All of what ``packed(_:within:)`` gave.
  ///   - size: The number of bytes that were packed.
  /// - Returns: The bytes; nil if the packed ones are damaged, or unpack to another number of bytes.
  package static func unpacked(_ packed: [UInt8], size: Int) -> [UInt8]? {
    guard size >= 0, size / largestRatio <= packed.count else { return nil }
    let bytes = unsafe filled(size) { buffer, size in
      unsafe packed.withUnsafeBufferPointer { source in
        var used = uLong(source.count)
        return unsafe uncompress2(buffer, &size, source.baseAddress, &used) == Z_OK
          && used == source.count
      }
    }
    return bytes?.count == size ? bytes : nil
  }

  /// No byte of a packed text stands for more (zlib's documentation: "1032:1"). A size that says so is not worth the memory.
  private static let largestRatio = 1032

  /// Returns the bytes that a function of zlib writes into a buffer; nil if it fails.
  private static func filled(
    _ capacity: Int,
    by write: (_ buffer: UnsafeMutablePointer<Bytef>?, _ size: inout uLong) -> Bool
  ) -> [UInt8]? {
    var isWritten = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      var size = uLong(capacity)
      isWritten = unsafe write(buffer.baseAddress, &size)
      count = isWritten ? Int(size) : 0
    }
    return isWritten ? bytes : nil
  }
}
