/// A foreign file as its codec gives it. Its records can be read any number of times.
package struct ForeignSource: Sendable {
  /// The name of the codec, as `--format` takes it.
  package var format: String
  /// The name of the file, which is kept as evidence.
  package var name: String?
  /// The parts of a record that distinguish it from other records.
  package var identity: RecordIdentity
  /// Whether files of the format hold the id of their session.
  package var namesSession: Bool
  /// Whether another program may write to the file while it is read.
  package var isGrowing = false
  /// The digests of the beginnings of files, for files that are followed; nil for other files.
  package var followed: FollowedHashes?
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

/// Reads a foreign file from its first byte to its last.
package protocol SourceReading {
  /// Reads the next record; nil at the end. All records together are the file, byte for byte.
  mutating func next() throws -> SourceRecord?

  /// The facts about the session in the records so far.
  var facts: SourceFacts { get }

  /// The place where a later reading may continue when the file has grown; nil before the end, and if none can.
  var bookmark: SourceBookmark? { get }
}

extension SourceReading {
  package var facts: SourceFacts { SourceFacts() }

  package var bookmark: SourceBookmark? { nil }
}

/// The place where the reading of a foreign file ended, with the state of its reader.
package struct SourceBookmark: Sendable, Equatable {
  /// The end of the last record, after which the file had only blanks.
  package let offset: Int64
  /// The line of the last record, counted from 1.
  package let line: Int
  /// The state of the reader, in the reader's own encoding.
  package let reader: [UInt8]

  package init(offset: Int64, line: Int, reader: [UInt8]) {
    self.offset = offset
    self.line = line
    self.reader = reader
  }
}

/// The facts about a session in a foreign file.
package struct SourceFacts: Sendable {
  /// The id of the session in the foreign program.
  package var id: String?
  package var title: String?

  package init(id: String? = nil, title: String? = nil) {
    self.id = id
    self.title = title
  }
}

/// A record of a foreign file with the separators before it, and the entries that it becomes.
///
/// A part of the envelope around the records is a record without entries.
package struct SourceRecord: Sendable {
  /// The bytes of the record, verbatim.
  package var bytes: [UInt8]
  package var entries: [SourceEntry]
  /// The places of base64 in the bytes, in order. The store keeps its content as artifacts, and not a second time here.
  package var spans: [SourceSpan]
  /// Sentences about content that was kept verbatim, but not understood.
  package var remarks: [String]
  /// The line of the record, counted from 1, for files whose records are lines; nil for others.
  package var line: Int?

  package init(
    _ bytes: [UInt8], entries: [SourceEntry] = [], spans: [SourceSpan] = [],
    remarks: [String] = [], line: Int? = nil
  ) {
    self.line = line
    self.bytes = bytes
    self.entries = entries
    self.spans = spans
    self.remarks = remarks
  }
}

/// An entry of a foreign file, with its attachments.
package struct SourceEntry: Sendable {
  package var entry: Entry
  package var attachments: [Entry.NewAttachment]
  /// The entry of the file after which the conversation goes on, for an event that goes back; nil for other entries.
  ///
  /// Entries are counted from 0, and -1 is the beginning of the file. The import, which knows the positions, sets
  /// ``Entry/continuesAfter`` from this.
  package var continuesAfter: Int?

  package init(_ entry: Entry, attaching attachments: [Entry.NewAttachment] = []) {
    self.entry = entry
    self.attachments = attachments
  }
}

/// A place of base64 in the bytes of a record, whose content the store keeps as an artifact.
package struct SourceSpan: Sendable {
  /// The size below which base64 stays in the record.
  package static let minimum = 512

  package let range: Range<Int>
  package let spelling: Base64Spelling

  /// Creates a span for base64 at a range; nil if the base64 is short, or could not be written again from its bytes.
  package init?(_ range: Range<Int>, in bytes: [UInt8]) {
    guard range.count >= Self.minimum, let spelling = Base64Spelling(of: bytes[range]) else {
      return nil
    }
    self.range = range
    self.spelling = spelling
  }
}

extension ArtifactSource {
  /// Makes a source from base64 in a record, which is decoded while it is taken in.
  package static func spelled(_ text: ArraySlice<UInt8>, _ spelling: Base64Spelling)
    -> ArtifactSource
  {
    ArtifactSource(origin: .spelled(text, spelling))
  }
}
