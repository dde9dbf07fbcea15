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

  /// Whether an element belongs to the same record as the element before it.
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

/// A decoder of files that grow, whose state is stored and continues when the file has grown.
protocol LastingDecoder: RecordDecoder, Codable {
  /// The version of the stored state, which increases with each change of it, so that other versions are not
  /// continued.
  static var edition: Int { get }

  /// Whether a state that was read from the database can be one that this decoder stored.
  ///
  /// The database may be damaged. A state that is not plausible is dropped, and the file is read from its start.
  var isPlausible: Bool { get }
}

/// The number of entries that a file can have.
enum EntryCount {
  static let range = 0...1 << 24
}

/// Reads a record as one entry, independently of other records.
protocol EntryReading: Sendable {
  init(_ bytes: [UInt8])

  var record: RecordReader { get }

  /// - Parameters:
  ///   - range: The range of the record's value in the bytes.
  ///   - created: The time of the entry, where the record states none.
  mutating func entry(_ range: Range<Int>, created: Date?) -> SourceEntry

  static var format: String { get }
}

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
