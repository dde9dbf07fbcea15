extension PixelSize {
  /// The most reads that measuring an image may take.
  static let readLimit = 64

  /// Measures an image from its first bytes: PNG, JPEG, GIF, WebP, HEIC, AVIF, BMP.
  ///
  /// Nil when these bytes don't tell. A JPEG with large metadata and a HEIC with many tiles
  /// need more than the first 4,096; `init(reading:)` fetches what it needs.
  public init?(head: [UInt8]) {
    guard let size = try? ImageMeasure(SparseBytes(head)).pixelSize() else { return nil }
    self = size
  }

  /// Measures an image by reading only what is needed, wherever in it that is, and nothing of what `head` has.
  ///
  /// Nil when the bytes are not an image of a known format, or when the size can't be found
  /// within 64 reads and 1 MiB.
  ///
  /// - Parameters:
  ///   - head: the first bytes, as many as are at hand.
  ///   - read: gives the bytes at an offset, at most `count`, fewer only at the end.
  /// - Throws: what `read` throws.
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
      // 64 windows of 16 KiB are the megabyte; the first is small, because it mostly suffices.
      let count = missing.offset == 0 ? MediaType.sniffedLength : 16 << 10
      let piece = try read(missing.offset, count).prefix(count)
      guard piece.count >= missing.count else { return nil }
      bytes.add(Array(piece), at: missing.offset)
    }
    return nil
  }
}
