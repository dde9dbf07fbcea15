/// A foreign file as its codec gives it. Its records can be read any number of times.
package struct ForeignSource: Sendable {
  /// The name of the codec, as `--format` takes it.
  package var format: String
  /// The name of the file, which is kept as evidence.
  package var name: String?
  /// The parts of a record that distinguish it from other records.
  package var identity: RecordIdentity
  /// Tells whether files of the format hold the id of their session.
  package var namesSession: Bool
  /// Tells whether another program may write to the file while it is read.
  package var isGrowing = false
  /// The beginnings of files, for files that are followed; nil for other files.
  package var followed: FollowedFiles?
  /// The size and the times of the file before it was opened, if the whole file is one session; nil if they are not
  /// remembered.
  package var standing: FileStanding?
  /// The stream that the records belong to, if a program passes them one by one; nil for a file.
  package var stream: StreamAppend?
  /// Begins to read the file from its start.
  package var open: @Sendable () throws -> any SourceReading
  /// Continues an earlier reading; nil if the file has to be read from its start.
  package var growth: Growth?

  /// Reads the new part of a file that grew.
  package struct Growth: Sendable {
    /// Reads the bytes of a range.
    package var bytes: @Sendable (Range<Int64>) throws -> [UInt8]
    /// The number of bytes in the file.
    package var size: Int64
    /// Begins to read at a bookmark; returns nil if the reader does not know the bookmark.
    package var open: @Sendable (SourceBookmark) throws -> (any SourceReading)?

    package init(
      size: Int64, bytes: @escaping @Sendable (Range<Int64>) throws -> [UInt8],
      open: @escaping @Sendable (SourceBookmark) throws -> (any SourceReading)?
    ) {
      self.size = size
      self.bytes = bytes
      self.open = open
    }
  }

  package init(
    format: String, name: String? = nil, identity: RecordIdentity = .bytes,
    namesSession: Bool = false, standing: FileStanding? = nil, growth: Growth? = nil,
    open: @escaping @Sendable () throws -> any SourceReading
  ) {
    self.format = format
    self.name = name
    self.identity = identity
    self.namesSession = namesSession
    self.standing = standing
    self.growth = growth
    self.open = open
  }
}
