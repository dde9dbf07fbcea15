#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads records that are one entry each.
struct SingleEntryDecoder<Reader: EntryReading>: RecordDecoder {
  /// The time of entries that state none.
  var created: Date?

  static var format: String { Reader.format }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    var reader = Reader(record.bytes)
    let entry = reader.entry(value, created: created)
    record = reader.record
    return [entry]
  }
}
