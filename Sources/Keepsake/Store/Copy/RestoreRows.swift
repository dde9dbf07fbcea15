#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Inserts the rows of one session of a copy, together with the rows that are derived from them.
struct RestoreRows {
  let session: Session
  /// The numbers of the artifacts that the record names.
  let artifacts: [Artifact.ID: Int64]
  /// The number of the attachment before the first one of the copy.
  let base: Int64
  let db: Tables
  /// The session's id as messages name it.
  let name: String

  init(session: Session, artifacts: [Artifact.ID: Int64], base: Int64, db: Tables) {
    self.session = session
    self.artifacts = artifacts
    self.base = base
    self.db = db
    name = session.id.text
  }

  /// Inserts a record into the table of its kind; that of an import with the number of its file.
  func insert(_ record: CopyRecord, source: Int64? = nil) throws {
    let place = CopyRows.Place(session: session.number, source: source)
    guard try db.copies.insert(record, as: values(of: record), at: place) else {
      throw CopyFault("\(record.name(in: name)) is in it twice, or where another one is")
    }
  }

  /// Returns the values of a record, with numbers of this store in place of ids and digests.
  func values(of record: CopyRecord) throws -> [CopyRecord.Value] {
    var values = record.values
    let table = record.kind.table
    for index in table.translated {
      switch (table.columns[index].meaning, values[index]) {
      case (.position, .integer(let position)):
        values[index] = .integer(session.lineage.id(of: Int(position)).rawValue)
      case (.recording, .integer(let number)): values[index] = .integer(base + number)
      case (.artifact, .blob(let bytes)): values[index] = .integer(try artifact(bytes))
      case (.invocation, .blob(let bytes)): values[index] = .integer(try invocation(bytes))
      default: break
      }
    }
    return values
  }

  private func artifact(_ bytes: [UInt8]) throws -> Int64 {
    guard let id = SHA256Digest(bytes: bytes).map(Artifact.ID.init), let number = artifacts[id]
    else { throw CopyFault("session \(name) names an artifact that is not in the file's list") }
    return number
  }

  private func invocation(_ bytes: [UInt8]) throws -> Int64 {
    guard let number = try db.invocations.number(of: bytes, in: session.number) else {
      throw CopyFault("an attachment of session \(name) names an invocation that is not there")
    }
    return number
  }
}

// MARK: - Entries and attachments

extension RestoreRows {
  func insertEntry(_ record: CopyRecord) throws {
    try insert(record)
    let position = record.int("position") ?? 0
    let id = session.lineage.id(of: position)
    let entry = try content(of: record)
    try EntryKeys.inserted(id, in: db)
    try session.insertCalls(of: entry, at: id, in: db)
    for tag in entry.tags { try session.insert(tag: tag, entry: id.rawValue, in: db) }
    for child in record.children {
      guard child.int("position") == position else {
        throw CopyFault("\(child.name(in: name)) stands at an entry that it is not of")
      }
      try insertAttachment(child)
    }
    let texts = entry.largeTexts
    guard Set(record.children.compactMap { $0.artifact?.description }).isSuperset(of: texts) else {
      throw CopyFault("\(record.name(in: name)) has a text that is no artifact of its own")
    }
  }

  /// Returns what the body of an entry's record says; of an erased entry the tool calls, as far as they are still known.
  func content(of record: CopyRecord) throws -> Entry {
    var entry = Entry(.unknown, id: .first, created: nil)
    if let body = record.bytes(at: EntryIndexes.body) {
      guard record.values[EntryIndexes.toolCalls].isNull else {
        throw CopyFault("\(record.name(in: name)) says its tool calls twice")
      }
      do {
        try EntryBody.decodeStrictly(body.span.bytes, into: &entry)
      } catch let error as JSONError {
        throw CopyFault("\(record.name(in: name)) has a body that can't be read: \(error.message)")
      } catch let error as KeepsakeError {
        throw CopyFault("\(record.name(in: name)) has a body that can't be read: \(error.message)")
      }
    } else {
      entry.toolCalls = try record.erasedCalls(of: name)
    }
    return entry
  }

  func insertAttachment(_ record: CopyRecord) throws {
    let number = base + (record.integer("recording") ?? 0)
    // The row that reserved this number is removed first.
    try db.attachments.free(number)
    if let start = record.integer("range.start"), let end = record.integer("range.end"), start > end
    {
      throw CopyFault("\(record.name(in: name)) has a range that ends before it begins")
    }
    try insert(record)
    try insertInputs(of: record, as: number)
  }

  /// Notes from which artifacts an attachment's artifact was made.
  func insertInputs(of record: CopyRecord, as attachment: Int64) throws {
    for input in Set(record.inputs) {
      // If the input was erased since, only the attachment still names it.
      guard let artifact = try db.artifacts.number(of: input.digest) else { continue }
      try db.attachments.insert(input: artifact, of: attachment)
    }
  }
}

extension Entry {
  /// The artifacts that hold texts of the entry which are too large for its body, as the body names them.
  var largeTexts: [String] {
    segments.compactMap { segment in
      guard case .opaque(let json, type: LargeText.placeholder) = segment.content else {
        return nil
      }
      return json.stringValue ?? ""
    }
  }
}

// MARK: - Foreign files

extension RestoreRows {
  /// Inserts an import and its source, which counts as incomplete until the sessions are shown.
  func insertSource(
    _ record: CopyRecord, base: RestoreProgress.Source?, owner: UUID
  ) throws -> RestoreProgress.Source {
    let shared = record.int("base.pieces") ?? 0
    guard (record["base.import"] == .null) == (shared == 0), (base == nil) == (shared == 0) else {
      throw CopyFault("the file of \(record.name(in: name)) begins with one that is not before it")
    }
    let number = try db.sources.insertRestored(
      record, base: base?.number, pieces: shared, owner: owner.bytes)
    try insert(record, source: number)
    return .init(number: number, next: shared)
  }

  func insertPiece(
    _ record: CopyRecord, of source: Int64, listing listed: inout SourceArtifacts
  ) throws {
    let bytes = record.bytes("bytes")
    var spans: [SourcePiece.Span] = []
    for child in record.children {
      guard let position = child.int("position"),
        let spelling = child.int("spelling").flatMap(Base64Spelling.init(rawValue:)),
        let artifact = child.artifact.flatMap({ artifacts[$0] }),
        position >= spans.last?.position ?? 0, position <= bytes?.count ?? -1
      else {
        throw CopyFault(
          "a piece of a file that session \(name) was imported from has base64 at no place of it")
      }
      spans.append(.init(position: position, artifact: artifact, spelling: spelling))
    }
    let content = try bytes.map { try PieceBytes($0, besides: sizeCut(by: spans, for: $0.count)) }
    let piece = SourcePiece(
      content: content, entry: record.int("position").map { session.lineage.id(of: $0) },
      entries: record.int("entries") ?? 0, spans: spans)
    guard (piece.entry?.position ?? 0) + piece.entries <= EntryID.maximumPosition + 1 else {
      throw CopyFault("a piece of a file says more entries than session \(name) can have")
    }
    try piece.insert(PieceID.make(source: source, ordinal: record.int("ordinal") ?? 0), in: db)
    listed.add(spans, of: source)
  }

  /// Returns the size of the base64 that spans stand for; no more of them are read than tell whether to pack so many bytes.
  private func sizeCut(by spans: [SourcePiece.Span], for bytes: Int) throws -> Int {
    var cut = 0
    for span in spans where cut / PieceBytes.leastShare < bytes {
      if let size = try db.artifacts.size(of: span.artifact) { cut += size / 3 * 4 }
    }
    return cut
  }
}
