#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

extension AppleCodec {
  private static let paths = [["transcript", "entries"], ["transcript", "transcript", "entries"]]

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    Reading(
      document: JSONDocument(file, arrayAt: paths),
      // The format has no times: the file was written when, or after, its entries came to be.
      created: file.modified.map { Date(timeIntervalSince1970: Double($0 / 1000) / 1_000_000) }
        ?? Date())
  }

  /// The entries of a transcript that is in memory, as the framework's encoder gives it.
  ///
  /// It costs the parsing of the JSON; images are not decoded before somebody takes them in.
  /// - Parameters:
  ///   - json: The transcript.
  ///   - created: When its entries came to be, which it doesn't say.
  /// - Throws: ``FormatError``, when it is damaged or no transcript.
  package static func decode(_ json: [UInt8], created: Date = Date()) throws -> [SourceEntry] {
    var reading = Reading(
      document: JSONDocument(ForeignFile(json, name: "the transcript"), arrayAt: paths),
      created: created)
    var entries: [SourceEntry] = []
    while let record = try reading.next() { entries += record.entries }
    return entries
  }

  /// Reads a file's records, one after the other.
  private struct Reading: SourceReading {
    var document: JSONDocument
    let created: Date

    mutating func next() throws -> SourceRecord? {
      switch try document.next() {
      case nil: return nil
      case .envelope(let bytes, let remarks)?: return SourceRecord(bytes, remarks: remarks)
      case .element(let element)?:
        var reader = AppleEntryReader(element.bytes)
        let entry = reader.entry(element.value, created: created)
        return SourceRecord(
          element.bytes, entries: [entry], spans: reader.record.spans,
          remarks: reader.record.remarks)
      }
    }
  }
}
