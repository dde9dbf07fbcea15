import Keepsake

/// Reads a file that is one JSON document with its records in an array, record by record.
struct DocumentReading<Decoder: RecordDecoder>: SourceReading {
  private var document: JSONDocument
  private var decoder: Decoder

  /// - Parameters:
  ///   - file: The document.
  ///   - paths: Where the array may stand: the keys that lead to it.
  ///   - decoder: Reads the elements.
  init(_ file: ForeignFile, arrayAt paths: [[String]], _ decoder: Decoder) {
    document = JSONDocument(file, arrayAt: paths)
    self.decoder = decoder
  }

  var facts: SourceFacts { decoder.facts }

  mutating func next() throws -> SourceRecord? {
    switch try document.next() {
    case nil: return nil
    case .envelope(let bytes, let remarks)?: return SourceRecord(bytes, remarks: remarks)
    case .element(let element)?:
      var record = RecordReader(element.bytes, format: Decoder.format)
      let entries = decoder.entries(of: &record, at: element.value)
      return SourceRecord(
        element.bytes, entries: entries, spans: record.spans, remarks: record.remarks)
    }
  }
}
