#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the records of one file in their order, and remembers from one to the next what the file says once for all.
protocol RecordDecoder: Sendable {
  /// The entries that a record says; none where it says nothing of the conversation.
  /// - Parameters:
  ///   - record: Its bytes; gathers what is attached, where base64 stands, and what was not as it should be.
  ///   - value: Where in the bytes its JSON value stands, which is valid.
  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry]

  /// The entries that several elements say together.
  mutating func entries(of record: inout RecordReader, atAll values: [Range<Int>]) -> [SourceEntry]

  /// Whether an element says something together with the one before it, so that both are one record.
  func joins(_ element: JSONObject, to last: JSONObject) -> Bool

  /// Whether any elements are joined.
  var joinsElements: Bool { get }

  /// What the records so far say of the session.
  var facts: SourceFacts { get }

  /// The codec's name: what it alone understands is kept under it.
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

/// A decoder of files that grow: what it knows can be written down, and taken up where the file went on.
protocol LastingDecoder: RecordDecoder, Codable {
  /// Counts up when what is written down changes, so that nobody takes up what another version left.
  static var edition: Int { get }

  /// Whether what was taken up can be what one of these wrote down. It stood in a database, where it may be anything; what
  /// can't be is not gone on with, and the file is read from its start.
  var isPlausible: Bool { get }
}

/// How many entries a file can have.
enum EntryCount {
  static let range = 0...1 << 24
}

/// Reads one record as one entry, whatever the others say.
protocol EntryReading: Sendable {
  init(_ bytes: [UInt8])

  var record: RecordReader { get }

  /// - Parameters:
  ///   - range: Where in the bytes the record's value stands.
  ///   - created: When the entry came to be, where the record does not say.
  mutating func entry(_ range: Range<Int>, created: Date?) -> SourceEntry

  static var format: String { get }
}

/// Reads records of which each is one entry.
struct SingleEntryDecoder<Reader: EntryReading>: RecordDecoder {
  /// When entries came to be that don't say it.
  var created: Date?

  static var format: String { Reader.format }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    var reader = Reader(record.bytes)
    let entry = reader.entry(value, created: created)
    record = reader.record
    return [entry]
  }
}
