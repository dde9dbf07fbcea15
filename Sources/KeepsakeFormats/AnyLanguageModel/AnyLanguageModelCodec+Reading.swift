#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension AnyLanguageModelCodec {
  static func read(_ file: ForeignFile) throws -> any SourceReading {
    Reading(
      document: JSONDocument(file, arrayAt: [["entries"]]),
      created: file.modified.map { Date(timeIntervalSince1970: Double($0 / 1000) / 1_000_000) }
        ?? Date())
  }

  private struct Reading: SourceReading {
    var document: JSONDocument
    let created: Date

    mutating func next() throws -> SourceRecord? {
      switch try document.next() {
      case nil: return nil
      case .envelope(let bytes, let remarks)?: return SourceRecord(bytes, remarks: remarks)
      case .element(let element)?:
        var reader = AnyLanguageModelEntryReader(element.bytes)
        let entry = reader.entry(element.value, created: created)
        return SourceRecord(
          element.bytes, entries: [entry], spans: reader.record.spans,
          remarks: reader.record.remarks)
      }
    }
  }
}
