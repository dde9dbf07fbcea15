#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// A record whose entries are encoded and, once they were taken in, its artifacts with them, ready to be written.
struct PreparedRecord: Intaking {
  /// Without its spans; nil where it says what was erased.
  let content: PieceBytes?
  private(set) var spans: [Span]
  private(set) var entries: [Item]
  /// Which of the entries that are read from the file the record's last ones are: those before were not stored with it.
  let index: Int
  /// After which of the file's entries the conversation goes on, by the place among ``entries`` of the event that says so.
  private(set) var returns: [Int: Int] = [:]

  struct Span: Intaking {
    let position: Int
    let spelling: Base64Spelling
    private(set) var content: Content

    enum Content {
      case own(Intake)
      /// The bytes of an attachment: of which entry, and which of its attachments.
      case attached(Int, Int)
    }

    mutating func forEachIntake(_ body: (inout Intake) -> Void) {
      guard case .own(var intake) = content else { return }
      body(&intake)
      content = .own(intake)
    }
  }

  enum Item: Intaking {
    case new(PreparedAppend)
    /// Stored as it is.
    case known(Int)
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

  /// - Parameters:
  ///   - record: As its codec gave it.
  ///   - index: Which of the entries that are read from the file its first one is.
  ///   - standing: How many of its entries the store has, and where.
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

  /// What the store has of a record's entries.
  struct Standing {
    var positions: [Int] = []
    /// Those that say something else in the record.
    var changed: Set<Int> = []
    /// Whether something of them was erased: then the record is not kept.
    var isErased = false
    /// Whether they are all that it says, as it says it.
    var isKnown = false
  }

  /// About how much it adds to a transaction.
  var size: Int {
    var size = content?.stored.count ?? 0
    for entry in entries { if case .new(let new) = entry { size += new.size } }
    return size
  }

  /// What stood at a span, once it was taken in.
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

/// How far an import has got: what one transaction leaves to the next.
struct ImportProgress: Sendable {
  var session: Session?
  var source: Int64?
  /// The open store's id that stands in the source's row: without that, somebody gave this import up for dead.
  var owner: UUID?
  /// Of the next piece.
  var ordinal: Int
  /// The positions that were added.
  var first: Int?
  var added = 0
  var revised = 0
  /// The import that goes on, where what is new follows the stored beginning of its file.
  var extended: Int64?
  /// Where the entries stand that were read from the file.
  var places = FilePlaces()
  var artifacts = ImportReport.Artifacts()
}

/// Somebody else changed what the import was compared with: compare again.
struct ImportRaced: Error {}
