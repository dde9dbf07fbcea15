extension MediaType {
  /// How many bytes from the beginning a type is sniffed from; more are not looked at.
  public static let sniffedLength = 4096

  /// What the bytes are, judged by the bytes alone.
  ///
  /// Looks at no more than the first 4,096 bytes, never fails, and answers `application/octet-stream`
  /// when nothing fits. It names the format, and does not say that the rest of the file is sound.
  /// A container that mostly holds video (MP4, WebM, Matroska) is called video even when only
  /// sound is in it, because its tracks may be listed at its end.
  ///
  /// - Parameters:
  ///   - head: the first bytes, at least 4,096 where there are that many.
  ///   - size: the length of the whole.
  public static func sniff(head: [UInt8], size: Int64) -> MediaType {
    Sniffer(head: head, size: size).mediaType()
  }
}
