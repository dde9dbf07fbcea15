/// A row of `source_piece`: a record of a foreign file, or a part of the envelope around its records.
struct SourcePiece: Equatable {
  /// The bytes without the spans; nil once they are erased.
  var content: PieceBytes?
  /// The first entry that the record says; nil for a part of the envelope.
  var entry: EntryID?
  /// The number of entries that the record says.
  var entries: Int
  /// The places of base64 in the record, in their order.
  var spans: [Span]

  /// A place of base64, whose bytes are an artifact.
  struct Span: Equatable {
    /// The place in the bytes that are left without the spans.
    let position: Int
    let artifact: Int64
    let spelling: Base64Spelling
  }

  /// The facts about a piece without its bytes.
  struct Outline {
    let id: Int64
    /// The first entry that the piece says; nil for a part of the envelope.
    let entry: EntryID?
    let entries: Int
    let isErased: Bool

    /// The positions of the entries; nil if there are none, or more than a session can have.
    var positions: Range<Int>? {
      guard let first = entry?.position, entries > 0, entries <= EntryID.maximumPosition - first + 1
      else { return nil }
      return first..<(first + entries)
    }
  }

  init(content: PieceBytes?, entry: EntryID?, entries: Int, spans: [Span]) {
    self.content = content
    self.entry = entry
    self.entries = entries
    self.spans = spans
  }
}
