#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one element of a document as an entry, and gathers what is attached to it.
protocol DocumentEntryReading {
  init(_ bytes: [UInt8])

  var record: RecordReader { get }

  /// - Parameters:
  ///   - range: Where in the bytes the element's value stands.
  ///   - created: When the entry came to be, where the element does not say.
  mutating func entry(_ range: Range<Int>, created: Date?) -> SourceEntry
}

/// Reads a file that is one JSON document with the entries in an array, record by record.
struct DocumentReading<Reader: DocumentEntryReading>: SourceReading {
  private var document: JSONDocument
  private let created: Date?

  /// - Parameters:
  ///   - file: The document.
  ///   - paths: Where the array may stand: the keys that lead to it.
  ///   - created: When its entries came to be, where they don't say.
  init(_ file: ForeignFile, arrayAt paths: [[String]], created: Date?) {
    document = JSONDocument(file, arrayAt: paths)
    self.created = created
  }

  mutating func next() throws -> SourceRecord? {
    switch try document.next() {
    case nil: return nil
    case .envelope(let bytes, let remarks)?: return SourceRecord(bytes, remarks: remarks)
    case .element(let element)?:
      var reader = Reader(element.bytes)
      let entry = reader.entry(element.value, created: created)
      return SourceRecord(
        element.bytes, entries: [entry], spans: reader.record.spans,
        remarks: reader.record.remarks)
    }
  }
}
