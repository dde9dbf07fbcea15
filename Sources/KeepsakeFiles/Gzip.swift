import CKeepsakeZlib

/// Compresses bytes as gzip does, piece by piece.
@safe
package final class Gzip {
  private let stream: UnsafeMutablePointer<z_stream>

  /// Begins a stream; nil where there is no memory for the quarter of a megabyte that one needs.
  /// - Parameter level: From 1, which is fast, to 9, which is small.
  package init?(level: Int32 = 4) {
    guard let stream = unsafe keepsake_gzip_begin(level) else { return nil }
    unsafe self.stream = stream
  }

  deinit {
    unsafe keepsake_gzip_end(stream)
  }

  /// Takes the next bytes, and returns what is ready of the compressed ones.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes.
  ///   - isLast: Whether they are the last ones. Otherwise all that they say can be read from what was returned so far,
  ///     so that the reader does not wait for more.
  package func add(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    unsafe bytes.withUnsafeBufferPointer { bytes in
      // zlib does not write to what it reads; its interface is older than the word for that.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      unsafe stream.pointee.avail_in = uInt(bytes.count)
      while true {
        let room = max(1024, bytes.count / 4)
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { piece, filled in
          unsafe stream.pointee.next_out = piece.baseAddress
          unsafe stream.pointee.avail_out = uInt(room)
          _ = unsafe deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
          filled = unsafe room - Int(stream.pointee.avail_out)
        }
        result += piece
        // It filled the room, so there may be more.
        if piece.count < room { break }
      }
    }
    return result
  }
}
