#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import SQLite

/// A record whose entries are encoded and whose artifacts are taken in, ready to be written.
struct PreparedRecord: Renewable {
  /// Without its spans; nil where it says what was erased.
  let bytes: [UInt8]?
  let spans: [Span]
  let entries: [Item]

  struct Span: Renewable {
    let position: Int
    let spelling: Base64Spelling
    /// The base64 as it stood in the record.
    let text: ArraySlice<UInt8>
    var artifact: PreparedArtifact

    func renewed(_ core: StoreCore) async throws -> Span {
      guard case .known = artifact.content else { return self }
      var renewed = self
      renewed.artifact = try await core.artifacts.prepare(.spelled(text, spelling))
      return renewed
    }
  }

  enum Item: Renewable {
    case new(PreparedAppend)
    /// Stored as it is.
    case known(Int)
    case changed(Int, Entry, LargeTexts, salt: [UInt8])

    var position: Int? {
      switch self {
      case .new: nil
      case .known(let position), .changed(let position, _, _, _): position
      }
    }

    func renewed(_ core: StoreCore) async throws -> Item {
      switch self {
      case .new(let new): .new(try await new.renewed(core))
      case .known: self
      case .changed(let position, let entry, let texts, let salt):
        .changed(position, entry, try await texts.renewed(core), salt: salt)
      }
    }
  }

  private init(bytes: [UInt8]?, spans: [Span], entries: [Item]) {
    self.bytes = bytes
    self.spans = spans
    self.entries = entries
  }

  /// - Parameters:
  ///   - record: As its codec gave it.
  ///   - standing: How many of its entries the store has, and where.
  ///   - core: The store that takes it in.
  init(_ record: SourceRecord, standing: Standing, core: StoreCore) async throws {
    var salts = Salts(count: record.entries.reduce(0) { $0 + 1 + $1.attachments.count })
    var entries: [Item] = []
    var prepared: [Range<Int>: PreparedArtifact] = [:]
    for (index, item) in record.entries.enumerated() {
      if index < standing.positions.count {
        let position = standing.positions[index]
        entries.append(
          standing.changed.contains(position)
            ? .changed(
              position, item.entry, try await LargeTexts(of: item.entry, core: core),
              salt: salts.next()) : .known(position))
        continue
      }
      let new = try await PreparedAppend(
        item.entry, attaching: item.attachments, salts: &salts, core: core)
      for attachment in new.attachments {
        if case .spelled(let text, _)? = attachment.new.source?.origin,
          let artifact = attachment.artifact
        {
          prepared[text.startIndex..<text.endIndex] = artifact
        }
      }
      entries.append(.new(new))
    }
    self.entries = entries
    guard !standing.isErased else {
      bytes = nil
      spans = []
      return
    }
    var bytes: [UInt8] = []
    var spans: [Span] = []
    var start = 0
    for span in record.spans {
      bytes += record.bytes[start..<span.range.lowerBound]
      start = span.range.upperBound
      let artifact =
        if let known = prepared[span.range] {
          known
        } else {
          try await core.artifacts.prepare(.spelled(record.bytes[span.range], span.spelling))
        }
      spans.append(
        Span(
          position: bytes.count, spelling: span.spelling, text: record.bytes[span.range],
          artifact: artifact))
    }
    self.bytes = bytes + record.bytes[start...]
    self.spans = spans
  }

  /// What the store has of a record's entries.
  struct Standing {
    var positions: [Int] = []
    var changed: Set<Int> = []
    var isErased = false
  }

  /// About how much it adds to a transaction.
  var size: Int {
    var size = bytes?.count ?? 0
    for entry in entries { if case .new(let new) = entry { size += new.size } }
    return size
  }

  func renewed(_ core: StoreCore) async throws -> PreparedRecord {
    PreparedRecord(
      bytes: bytes, spans: try await spans.renewed(core), entries: try await entries.renewed(core))
  }
}

/// How far an import has got: what one transaction leaves to the next.
struct ImportProgress: Sendable {
  var session: Session?
  var source: Int64?
  /// Of the next piece.
  var ordinal: Int
  /// The positions that were added.
  var first: Int?
  var added = 0
  var revised = 0
  var artifacts = ImportReport.Artifacts()
}

/// Somebody else changed what the import was compared with: compare again.
struct ImportRaced: Error {}
