import KeepsakeFiles
import Keepsake

/// Reads the rows of one conversation, in one snapshot of the database.
struct DatabaseReading: SourceReading {
  private var rows: any DatabaseRows
  private var decoder: any RecordDecoder
  private let id: String
  private let file: String
  private let readings: DatabaseReadings
  /// A running digest of the lines that were read.
  private var digest = SHA256.digest(of: [])

  /// - Parameters:
  ///   - rows: The rows of the conversation.
  ///   - decoder: The decoder of a line of the rows.
  ///   - id: The conversation's id in the program that wrote the database.
  ///   - file: The name of the database's file.
  ///   - readings: Shared by all readings of the conversation.
  init(
    _ rows: any DatabaseRows, _ decoder: any RecordDecoder, id: String, of file: String,
    _ readings: DatabaseReadings
  ) {
    self.rows = rows
    self.decoder = decoder
    self.id = id
    self.file = file
    self.readings = readings
  }

  var facts: SourceFacts { SourceFacts(id: id, title: rows.title) }

  mutating func next() throws -> SourceRecord? {
    guard let bytes = try rows.next() else {
      try readings.finish(digest, of: file)
      return nil
    }
    digest = SHA256.digest(of: digest.bytes + SHA256.digest(of: bytes).bytes)
    // Each record is one line, so that the kept source of a conversation is JSON Lines.
    let value = 0..<(bytes.count - 1)
    var record = RecordReader(bytes, format: type(of: decoder).format)
    for remark in rows.remarks { record.remark(remark) }
    let entries = decoder.entries(of: &record, at: value)
    return SourceRecord(bytes, entries: entries, spans: record.spans, remarks: record.remarks)
  }
}
