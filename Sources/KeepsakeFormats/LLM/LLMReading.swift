import KeepsakeFiles
import Keepsake

/// Reads the rows of one conversation, in one snapshot of the database.
struct LLMReading: SourceReading {
  private var rows: any LLMRows
  private var decoder: any RecordDecoder
  private let id: String
  private let readings: LLMReadings
  private let file: String
  /// What was read so far, in a digest.
  private var digest = SHA256.digest(of: [])

  init(_ conversation: LLMConversation, of contents: LLMContents, _ readings: LLMReadings) throws {
    let db = try ForeignDatabase(contents.file, contents.tables)
    id = conversation.id
    file = contents.file.name
    self.readings = readings
    switch conversation {
    case .thread(let thread):
      let rows = try LLMThreadRows(thread, in: db)
      decoder = LLMMessageDecoder(times: rows.chain.times)
      self.rows = rows
    case .responses(let responses, let conversation):
      rows = try LLMResponseRows(responses, conversation: conversation, of: contents, in: db)
      decoder = LLMResponseDecoder()
    }
  }

  var facts: SourceFacts { SourceFacts(id: id, title: rows.title) }

  mutating func next() throws -> SourceRecord? {
    guard let bytes = try rows.next() else {
      try readings.finish(digest, of: file)
      return nil
    }
    digest = SHA256.digest(of: digest.bytes + SHA256.digest(of: bytes).bytes)
    // A line each, so that what is kept of a conversation is JSON Lines.
    let value = 0..<(bytes.count - 1)
    var record = RecordReader(bytes, format: LLMCodec.name)
    for remark in rows.remarks { record.remark(remark) }
    let entries = decoder.entries(of: &record, at: value)
    return SourceRecord(bytes, entries: entries, spans: record.spans, remarks: record.remarks)
  }
}

/// The readings of one conversation, of which an import needs two that say the same.
final class LLMReadings: Sendable {
  private let last = Locked<SHA256Digest?>(nil)

  /// Notes what a reading gave; throws where the one before gave something else.
  func finish(_ digest: SHA256Digest, of file: String) throws {
    let isSame = last.withLock { last in
      defer { last = digest }
      return last == nil || last == digest
    }
    guard isSame else { throw FormatError.changed(file) }
  }
}

/// The rows of a conversation, a line of JSON for each that says something, and one for the conversation itself.
protocol LLMRows {
  /// The next line with its line break; nil behind the last.
  mutating func next() throws -> [UInt8]?

  /// The name of the conversation.
  var title: String? { get }

  /// What is to be said of the line that was read last.
  var remarks: [String] { get }
}
