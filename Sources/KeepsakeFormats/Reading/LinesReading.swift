import Keepsake

/// Reads a file of JSON Lines, line by line.
///
/// A line that is damaged, cut off, or no JSON is kept as it is and told of; what stands around it is read all the same.
struct LinesReading<Decoder: RecordDecoder>: SourceReading {
  private let file: ForeignFile
  private var lines: LineScanner
  private var decoder: Decoder

  init(_ file: ForeignFile, _ decoder: Decoder) {
    self.file = file
    lines = LineScanner(file)
    self.decoder = decoder
  }

  var facts: SourceFacts { decoder.facts }

  mutating func next() throws -> SourceRecord? {
    guard let line = try lines.next() else { return nil }
    if line.content.isEmpty { return SourceRecord(line.bytes, line: line.number) }
    var record = RecordReader(line.bytes, format: Decoder.format)
    let (values, fault) = Self.values(line.content, in: line.bytes)
    var entries: [SourceEntry] = []
    for value in values { entries += decoder.entries(of: &record, at: value) }
    if let fault {
      let isLast = line.content.upperBound >= line.bytes.count && lines.isAtEnd
      record.remark(
        isLast
          ? "The last line ends early; it is kept as it is, and read when it is whole."
          : "The line is no JSON and is kept as it is. \(fault.message)")
    }
    return SourceRecord(
      line.bytes, entries: entries, spans: record.spans, remarks: record.remarks,
      line: line.number)
  }

  /// The values that stand on a line: mostly one; several where a writer lost its line break. What is no value ends them.
  private static func values(_ content: Range<Int>, in bytes: [UInt8]) -> (
    [Range<Int>], JSONError?
  ) {
    var values: [Range<Int>] = []
    var start = content.lowerBound
    while start < content.upperBound {
      var reader = JSONReader(bytes.span.bytes.extracting(start..<content.upperBound))
      do throws(JSONError) {
        let value = try reader.skipValue()
        values.append((start + value.lowerBound)..<(start + value.upperBound))
        start += value.upperBound
        while start < content.upperBound, LineScanner.isBlank(bytes[start]) { start += 1 }
      } catch {
        return (values, error)
      }
    }
    return (values, nil)
  }
}
