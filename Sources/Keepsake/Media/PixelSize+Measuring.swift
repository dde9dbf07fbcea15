extension PixelSize {
  /// The most reads with which an image is measured.
  static let readLimit = 64

  /// Measures an image from its first bytes; nil if these bytes are not enough, or the format is unknown.
  ///
  /// The known formats are PNG, JPEG, GIF, WebP, HEIC, AVIF and BMP. A JPEG with much metadata and a HEIC with many tiles need
  /// more than the first 4,096 bytes, which ``init(head:reading:)`` reads as needed.
  /// - Parameter head: The first bytes of the image.
  public init?(head: [UInt8]) {
    guard let size = try? ImageMeasure(SparseBytes(head)).pixelSize() else { return nil }
    self = size
  }

  /// Measures an image by reading only the needed parts, and nothing of the bytes in `head`.
  ///
  /// Nil if the bytes are not an image of a known format, or if the size is not found within 64 reads and 1 MiB.
  /// - Parameters:
  ///   - head: The first bytes, as many as are at hand.
  ///   - read: A closure that gives at most `count` bytes at an offset, and fewer only at the end.
  /// - Throws: The error of `read`.
  public init?<Failure: Error>(
    head: [UInt8] = [], reading read: (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    var bytes = SparseBytes(head)
    for _ in 0..<Self.readLimit {
      let missing: SparseBytes.Missing
      do throws(SparseBytes.Missing) {
        guard let size = try ImageMeasure(bytes).pixelSize() else { return nil }
        self = size
        return
      } catch {
        missing = error
      }
      // 64 reads of 16 KiB are 1 MiB. The first read is small, because it mostly suffices.
      let count = missing.offset == 0 ? MediaType.sniffedLength : 16 << 10
      let piece = try read(missing.offset, count).prefix(count)
      guard piece.count >= missing.count else { return nil }
      bytes.add(Array(piece), at: missing.offset)
    }
    return nil
  }
}
