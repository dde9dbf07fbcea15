import Keepsake

/// Reads a JSON document record by record, whose records are the elements of an array.
///
/// A record is one element, or several neighbouring elements that belong together.
struct DocumentReading<Decoder: RecordDecoder>: SourceReading {
  private var document: JSONDocument
  private var decoder: Decoder
  /// A piece that was read ahead to find out whether it belongs to the record before it.
  private var ahead: JSONDocument.Piece?

  /// - Parameters:
  ///   - file: The document.
  ///   - paths: The places where the array may stand, each as the keys that lead to it.
  ///   - decoder: The decoder of the elements.
  init(_ file: ForeignFile, arrayAt paths: [[String]], _ decoder: Decoder) {
    document = JSONDocument(file, arrayAt: paths)
    self.decoder = decoder
  }

  var facts: SourceFacts { decoder.facts }

  mutating func next() throws -> SourceRecord? {
    switch try piece() {
    case nil: return nil
    case .envelope(let bytes, let remarks)?: return SourceRecord(bytes, remarks: remarks)
    case .element(let element)?:
      let (bytes, values) = try joined(element)
      var record = RecordReader(bytes, format: Decoder.format)
      let entries =
        values.count == 1
        ? decoder.entries(of: &record, at: values[0])
        : decoder.entries(of: &record, atAll: values)
      return SourceRecord(bytes, entries: entries, spans: record.spans, remarks: record.remarks)
    }
  }

  private mutating func piece() throws -> JSONDocument.Piece? {
    if let piece = ahead {
      ahead = nil
      return piece
    }
    return try document.next()
  }

  /// Returns an element together with the following elements that belong to the same record.
  private mutating func joined(_ element: JSONDocument.Element) throws -> (
    bytes: [UInt8], values: [Range<Int>]
  ) {
    var (bytes, values) = (element.bytes, [element.value])
    guard decoder.joinsElements, var last = JSONObject(element.value, in: element.bytes) else {
      return (bytes, values)
    }
    while let next = try document.next() {
      guard case .element(let element) = next,
        let object = JSONObject(element.value, in: element.bytes), decoder.joins(object, to: last)
      else {
        ahead = next
        break
      }
      values.append(
        (bytes.count + element.value.lowerBound)..<(bytes.count + element.value.upperBound))
      bytes += element.bytes
      last = object
    }
    return (bytes, values)
  }
}
