#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the records of one file in order, and remembers what later records depend on.
protocol RecordDecoder: Sendable {
  /// Reads the entries of a record; none where the record is not part of the conversation.
  /// - Parameters:
  ///   - record: The record's bytes; gathers attachments, ranges of base64, and remarks.
  ///   - value: The range of the record's JSON value, which is valid.
  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry]

  /// Reads the entries of several elements that are one record.
  mutating func entries(of record: inout RecordReader, atAll values: [Range<Int>]) -> [SourceEntry]

  /// Returns whether an element belongs to the same record as the element before it.
  func joins(_ element: JSONObject, to last: JSONObject) -> Bool

  /// Whether the format has elements that are joined into one record.
  var joinsElements: Bool { get }

  /// The facts about the session in the records so far.
  var facts: SourceFacts { get }

  /// The codec's name, under which details and opaque content are kept.
  static var format: String { get }
}

extension RecordDecoder {
  mutating func entries(of record: inout RecordReader, atAll values: [Range<Int>]) -> [SourceEntry]
  {
    var entries: [SourceEntry] = []
    for value in values { entries += self.entries(of: &record, at: value) }
    return entries
  }

  func joins(_ element: JSONObject, to last: JSONObject) -> Bool { false }

  var joinsElements: Bool { false }

  var facts: SourceFacts { SourceFacts() }
}
