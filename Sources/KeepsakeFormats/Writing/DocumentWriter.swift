import Keepsake

/// Writes one document.
///
/// Records of an imported file that still match the session are written as they stood, and all others anew, with
/// separators between them.
struct DocumentWriter<C: DocumentCodec> {
  private static var page: Int { 64 }

  private let session: Session
  private let form: C.Form
  private let hasBytes: Bool
  private var encoder: C.Encoder
  private let take: ([UInt8]) throws -> Void
  private var losses = Losses()
  /// The entries that were not taken back. Only these are written, because these formats are for models.
  private var path: LivePath?
  private var isFirst = true
  /// The white space between the records of the imported file.
  private var space: [UInt8] = []

  /// - Parameters:
  ///   - session: The session that is written.
  ///   - form: The version of the format.
  ///   - hasBytes: Whether the bytes of attachments are written; otherwise placeholders are.
  ///   - sheet: The imported document that entries are added to; nil for a new document.
  ///   - take: Takes the next bytes.
  init(
    _ session: Session, form: C.Form, hasBytes: Bool = true, beside sheet: SourceSheet? = nil,
    _ take: @escaping ([UInt8]) throws -> Void
  ) {
    self.session = session
    self.form = form
    self.hasBytes = hasBytes
    self.take = take
    encoder = C.encoder(form, beside: sheet)
  }

  /// Writes a new document.
  mutating func write() async throws -> Losses {
    try take(Array(C.prefix(form).utf8))
    try await write(from: 0, to: nil)
    try await encoder.suffix().write(take)
    return losses
  }

  /// Writes a new document of what a model is given.
  mutating func write(_ resumption: Resumption) async throws -> Losses {
    losses = Losses(resumption.notes)
    try take(Array(C.prefix(form).utf8))
    for entry in resumption.entries { try await write(OutgoingEntry(resumed: entry)) }
    try await write(encoder.rest())
    try await encoder.suffix().write(take)
    return losses
  }

  /// Writes the imported document with new entries added and changed entries replaced.
  mutating func write(over sheet: SourceSheet, _ envelope: ImportedEnvelope) async throws
    -> Losses
  {
    losses = sheet.lossesOfWhole
    let path = try await session.livePath()
    self.path = path
    try take(envelope.prefix)
    var next = 0
    for piece in sheet.pieces {
      guard let positions = piece.positions, piece.isCurrent, positions.lowerBound >= next else {
        continue
      }
      try await write(from: next, to: positions.lowerBound)
      if positions.contains(where: path.contains) {
        try replay(piece, of: sheet)
      } else {
        losses.add(.takenBack, positions.count)
      }
      next = positions.upperBound
    }
    try await write(from: next, to: nil)
    try take(envelope.suffix)
    return losses
  }

  /// Writes a range of entries, and ends the last record.
  private mutating func write(from start: Int, to end: Int?) async throws {
    let path = if let known = self.path { known } else { try await session.livePath() }
    self.path = path
    var next = start
    while next < end ?? .max {
      let entries = try await session.entries(
        after: next - 1, count: min(Self.page, (end ?? .max) - next))
      if entries.isEmpty { break }
      next += entries.count
      for entry in entries {
        if entry.position.map(path.contains) ?? true {
          try await write(OutgoingEntry(entry))
        } else {
          losses.add(.takenBack)
        }
      }
    }
    try await write(encoder.rest())
  }

  private mutating func write(_ entry: OutgoingEntry) async throws {
    let entry = hasBytes ? entry : entry.withoutBytes
    try await write(encoder.records(with: entry, &losses))
  }

  private mutating func write(_ records: [OutgoingRecord]) async throws {
    for record in records {
      try take((isFirst ? [] : [UInt8(ascii: ",")]) + space)
      isFirst = false
      try await record.write(take)
    }
  }

  /// Writes a record as it stood in its file, except for the comma, which depends on the record before it now.
  private mutating func replay(_ piece: SourceSheet.Piece, of sheet: SourceSheet) throws {
    var head: [UInt8]? = []
    var space = space
    let isFirst = isFirst
    let take = take
    try sheet.replay(piece) { bytes in
      guard let before = head else { return try take(bytes) }
      let bytes = before + bytes
      guard let start = bytes.firstIndex(where: { !Self.separates($0) }) else {
        head = bytes
        return
      }
      head = nil
      let comma = bytes[..<start].firstIndex(of: UInt8(ascii: ","))
      space = Array(bytes[(comma.map { $0 + 1 } ?? 0)..<start])
      if (comma == nil) == isFirst { return try take(bytes) }
      try take((isFirst ? [] : [UInt8(ascii: ",")]) + space + bytes[start...])
    }
    self.space = space
    self.isFirst = false
  }

  private static func separates(_ byte: UInt8) -> Bool {
    [0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ",")].contains(byte)
  }
}
