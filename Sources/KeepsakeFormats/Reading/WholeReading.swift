import Keepsake

/// Reads a file that is one JSON value as a single record.
struct WholeReading<Decoder: RecordDecoder>: SourceReading {
  private let file: ForeignFile
  private var decoder: Decoder
  private var isRead = false

  init(_ file: ForeignFile, _ decoder: Decoder) {
    self.file = file
    self.decoder = decoder
  }

  var facts: SourceFacts { decoder.facts }

  mutating func next() throws -> SourceRecord? {
    if isRead {
      try file.requireUnchanged()
      return nil
    }
    isRead = true
    let (bytes, value) = try WholeValue.read(file)
    var record = RecordReader(bytes, format: Decoder.format)
    let entries = decoder.entries(of: &record, at: value)
    return SourceRecord(
      bytes, entries: entries, spans: record.spans, remarks: record.remarks)
  }
}
