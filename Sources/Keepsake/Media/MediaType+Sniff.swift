extension MediaType {
  /// The number of bytes at the beginning from which a type is sniffed; further bytes are not read.
  public static let sniffedLength = 4096

  /// Determines the type of bytes from the bytes alone.
  ///
  /// Sniffing never fails: the result is `application/octet-stream` if no format matches. The result names the format, and does
  /// not mean that the rest of the file is sound. A container that mostly holds video (MP4, WebM, Matroska) is called video
  /// even if it has only sound, because its tracks may be listed at the end.
  /// - Parameters:
  ///   - head: The first bytes, at least 4,096 if there are that many; further bytes are ignored.
  ///   - size: The length of the whole.
  /// - Returns: The media type.
  public static func sniff(head: [UInt8], size: Int64) -> MediaType {
    Sniffer(head: head, size: size).mediaType()
  }
}
