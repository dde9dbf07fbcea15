import KeepsakeFiles

/// A record of a foreign file with its encoded entries and, once they were taken in, its artifacts, ready to be written.
struct PreparedRecord: Intaking {
  /// The bytes of the record without its spans; nil if something that it says was erased.
  let content: PieceBytes?
  private(set) var spans: [Span]
  private(set) var entries: [Item]
  /// The index of the record's first stored entry among the entries that are read from the file.
  let index: Int
  /// The entries of the file after which the conversation goes on, by the place among ``entries`` of the event that says
  /// so.
  private(set) var returns: [Int: Int] = [:]

  /// A place of base64 in the record.
  struct Span: Intaking {
    let position: Int
    let spelling: Base64Spelling
    private(set) var content: Content

    /// The bytes behind a span.
    enum Content {
      case own(Intake)
      /// The bytes of an attachment, by the places of its entry and of the attachment in that entry.
      case attached(Int, Int)
    }

    mutating func forEachIntake(_ body: (inout Intake) -> Void) {
      guard case .own(var intake) = content else { return }
      body(&intake)
      content = .own(intake)
    }
  }

  /// An entry of the record.
  enum Item: Intaking {
    case new(PreparedAppend)
    /// The entry is stored at a position as the record says it.
    case known(Int)
    /// The entry is stored at a position, and the record says something else.
    case changed(Int, Entry, LargeTexts, salt: Salt)

    var position: Int? {
      switch self {
      case .new: nil
      case .known(let position), .changed(let position, _, _, _): position
      }
    }

    mutating func forEachIntake(_ body: (inout Intake) -> Void) {
      switch self {
      case .new(var new):
        // Nobody else may have it while it is changed, or all of it would be copied.
        self = .known(0)
        new.forEachIntake(body)
        self = .new(new)
      case .known: break
      case .changed(let position, let entry, var texts, let salt):
        texts.forEachIntake(body)
        self = .changed(position, entry, texts, salt: salt)
      }
    }
  }

  /// Prepares a record.
  ///
  /// - Parameters:
  ///   - record: The record as its codec gave it.
  ///   - index: The index of its first entry among the entries that are read from the file.
  ///   - standing: The entries of the record that the store has.
  init(_ record: SourceRecord, from index: Int, standing: Standing) throws {
    var entries: [Item] = []
    var attached: [Range<Int>: Span.Content] = [:]
    if standing.isKnown { entries = standing.positions.map { .known($0) } }
    for (ordinal, item) in record.entries.enumerated() where !standing.isKnown {
      if ordinal < standing.positions.count {
        let position = standing.positions[ordinal]
        entries.append(
          standing.changed.contains(position)
            ? .changed(
              position, item.entry, try LargeTexts(of: item.entry), salt: Salt())
            : .known(position))
        continue
      }
      let new = try PreparedAppend(item.entry, attaching: item.attachments, isForeign: true)
      for (number, attachment) in new.attachments.enumerated() {
        if case .spelled(let text, _)? = attachment.new.source?.origin {
          attached[text.startIndex..<text.endIndex] = .attached(ordinal, number)
        }
      }
      if let target = item.continuesAfter { returns[ordinal] = target }
      entries.append(.new(new))
    }
    self.entries = entries
    self.index = index + record.entries.count - entries.count
    guard !standing.isErased else {
      content = nil
      spans = []
      return
    }
    guard !record.spans.isEmpty else {
      // Shared, not copied: a record may be large.
      content = PieceBytes(record.bytes)
      spans = []
      return
    }
    var bytes: [UInt8] = []
    var spans: [Span] = []
    var start = 0
    for span in record.spans {
      bytes += record.bytes[start..<span.range.lowerBound]
      start = span.range.upperBound
      spans.append(
        Span(
          position: bytes.count, spelling: span.spelling,
          content: attached[span.range]
            ?? .own(Intake(.spelled(record.bytes[span.range], span.spelling)))))
    }
    bytes += record.bytes[start...]
    content = PieceBytes(bytes, besides: record.bytes.count - bytes.count)
    self.spans = spans
  }

  /// The entries of a record that the store has.
  struct Standing {
    var positions: [Int] = []
    /// The positions of entries that say something else in the record.
    var changed: Set<Int> = []
    /// Tells whether something of the entries was erased. Then the record is not kept.
    var isErased = false
    /// Tells whether the store has all entries of the record, as it says them.
    var isKnown = false
  }

  /// The approximate number of bytes that the record adds to a transaction.
  var size: Int {
    var size = content?.stored.count ?? 0
    for entry in entries { if case .new(let new) = entry { size += new.size } }
    return size
  }

  /// Returns the artifact of a span, once it was taken in.
  func artifact(of span: Span) -> PreparedArtifact? {
    switch span.content {
    case .own(let intake): intake.artifact
    case .attached(let index, let ordinal):
      if case .new(let new) = entries[index] { new.attachments[ordinal].artifact } else { nil }
    }
  }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) {
    entries.forEachIntake(body)
    spans.forEachIntake(body)
  }
}
