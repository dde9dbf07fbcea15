#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads a file of JSON Lines, line by line.
///
/// A line that is damaged, cut off or no JSON is kept with a remark, and the lines around it are read all the same.
struct LinesReading<Decoder: RecordDecoder>: SourceReading {
  private let file: ForeignFile
  private var lines: LineScanner
  private var decoder: Decoder
  /// The end of the last line that is not blank, and the line's number.
  private var last: (end: Int64, number: Int)?

  init(_ file: ForeignFile, _ decoder: Decoder) {
    self.file = file
    lines = LineScanner(file)
    self.decoder = decoder
  }

  var facts: SourceFacts { decoder.facts }

  mutating func next() throws -> SourceRecord? {
    guard let line = try lines.next() else { return nil }
    if line.content.isEmpty { return SourceRecord(line.bytes, line: line.number) }
    last = (lines.offset, line.number)
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

  var bookmark: SourceBookmark? {
    // A last line without a line break may still grow, so no bookmark is set behind it.
    guard let last, last.end < file.size, let decoder = decoder as? any LastingDecoder,
      let reader = try? decoder.state()
    else { return nil }
    return SourceBookmark(offset: last.end, line: last.number, reader: Array(reader))
  }

  /// The JSON values on a line, up to the first fault. There are several where a program lost a line break.
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

extension LinesReading where Decoder: LastingDecoder {
  /// Continues an earlier reading of the file.
  ///
  /// Returns nil where another version of the decoder wrote the bookmark, or the bookmark is damaged.
  init?(_ file: ForeignFile, from bookmark: SourceBookmark) {
    let state = try? JSONDecoder().decode(LastingState<Decoder>.self, from: Data(bookmark.reader))
    guard let state, state.edition == Decoder.edition, state.decoder.isPlausible else { return nil }
    self.file = file
    lines = LineScanner(file, from: bookmark.offset, line: bookmark.line)
    decoder = state.decoder
    last = (bookmark.offset, bookmark.line)
  }
}

extension LastingDecoder {
  fileprivate func state() throws -> Data { try JSONEncoder().encode(LastingState(self)) }
}

/// The state of a decoder as it is stored between two readings, with the version of its form.
private struct LastingState<Decoder: LastingDecoder>: Codable {
  let edition: Int
  let decoder: Decoder

  init(_ decoder: Decoder) {
    edition = Decoder.edition
    self.decoder = decoder
  }
}
