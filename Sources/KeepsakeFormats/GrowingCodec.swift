import Keepsake

/// A codec of a format whose files grow while a conversation goes on.
protocol GrowingCodec: FileCodec {
  /// Begins to read a file where an earlier reading ended; nil where the file has to be read from its start.
  static func read(_ file: ForeignFile, from bookmark: SourceBookmark) throws
    -> (any SourceReading)?
}
