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
