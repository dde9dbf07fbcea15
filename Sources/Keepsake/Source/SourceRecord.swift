/// A foreign file as its codec gives it: what it is, and its records, as often as they are asked for.
package struct ForeignSource: Sendable {
  /// The codec's name, as `--format` takes it.
  package var format: String
  /// The file's name, kept as evidence.
  package var name: String?
  /// What tells its records from others.
  package var identity: RecordIdentity
  /// Whether its format has files that say which session they are of.
  package var namesSession: Bool
  /// Whether somebody may be writing to the file while it is read.
  package var isGrowing = false
  /// What is known of the beginnings of files, where they are followed.
  package var followed: FollowedHashes?
  /// How the file stood before it was opened, where all of it is one session; nil where that is not to be remembered.
  package var standing: FileStanding?
  /// The stream that its records belong to, where it is no file: a program hands them over one by one.
  package var stream: StreamAppend?
  /// Begins to read from the start.
  package var open: @Sendable () throws -> any SourceReading
  /// How it is read on where an earlier reading ended; nil where it can't be.
  package var growth: Growth?

  /// What takes up the reading of a file that grew.
  package struct Growth: Sendable {
    /// The bytes of a range.
    package var bytes: @Sendable (Range<Int64>) throws -> [UInt8]
    /// How many bytes there are.
    package var size: Int64
    /// Begins to read at a bookmark; nil where the reader does not know it.
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
  /// The next stretch; nil at the end. All stretches together are the file, byte for byte.
  mutating func next() throws -> SourceRecord?

  /// What the records so far say of the session.
  var facts: SourceFacts { get }

  /// Once it is at the end: where another reading may go on when the file has grown; nil where none can.
  var bookmark: SourceBookmark? { get }
}

extension SourceReading {
  package var facts: SourceFacts { SourceFacts() }

  package var bookmark: SourceBookmark? { nil }
}

/// Where the reading of a foreign file ended, and what its reader knew there.
package struct SourceBookmark: Sendable, Equatable {
  /// The end of the last record. What follows it in the file as it was are blanks.
  package let offset: Int64
  /// The line that the last record stands on, counted from 1.
  package let line: Int
  /// In the words of the reader.
  package let reader: [UInt8]

  package init(offset: Int64, line: Int, reader: [UInt8]) {
    self.offset = offset
    self.line = line
    self.reader = reader
  }
}

/// What a foreign file says of its session.
package struct SourceFacts: Sendable {
  /// The session's id in the foreign program: it says which session this is.
  package var id: String?
  package var title: String?

  package init(id: String? = nil, title: String? = nil) {
    self.id = id
    self.title = title
  }
}

/// A stretch of a foreign file, and the entries that it says: a record with the separators before it, or a part of the
/// envelope, which says none.
package struct SourceRecord: Sendable {
  /// Verbatim.
  package var bytes: [UInt8]
  package var entries: [SourceEntry]
  /// Where base64 stands in the bytes, in order: what the store has as artifacts it need not have twice.
  package var spans: [SourceSpan]
  /// What could not be taken over as what it should have been, in sentences; it is kept verbatim all the same.
  package var remarks: [String]
  /// The line of the file that it stands on, counted from 1, where lines are its records.
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

/// An entry of a foreign file, with what is attached to it.
package struct SourceEntry: Sendable {
  package var entry: Entry
  package var attachments: [Entry.NewAttachment]
  /// Of an event that goes back: after which of the file's entries the conversation goes on, counted from 0; -1 is the
  /// file's beginning. The import sets ``Entry/continuesAfter`` by it, because only that knows the positions.
  package var continuesAfter: Int?

  package init(_ entry: Entry, attaching attachments: [Entry.NewAttachment] = []) {
    self.entry = entry
    self.attachments = attachments
  }
}

/// Base64 in the bytes of a record, whose artifact the store keeps.
package struct SourceSpan: Sendable {
  /// Below this size it is not worth cutting out.
  package static let minimum = 512

  package let range: Range<Int>
  package let spelling: Base64Spelling

  /// The base64 at a range; nil where it is short, or spelled so that its bytes would not give it back.
  package init?(_ range: Range<Int>, in bytes: [UInt8]) {
    guard range.count >= Self.minimum, let spelling = Base64Spelling(of: bytes[range]) else {
      return nil
    }
    self.range = range
    self.spelling = spelling
  }
}

extension ArtifactSource {
  /// What base64 in a record holds; it is decoded while it is taken in.
  package static func spelled(_ text: ArraySlice<UInt8>, _ spelling: Base64Spelling)
    -> ArtifactSource
  {
    ArtifactSource(origin: .spelled(text, spelling))
  }
}
