import KeepsakeSQLite
import Keepsake

/// Reads the lines that ``ADKRows`` gives for a session.
struct ADKRowDecoder: RecordDecoder {
  static let format = ADKDatabaseCodec.name

  private var decoder: ADKDecoder

  init(_ session: ADKSession, _ assets: AssetFolder?) { decoder = ADKDecoder(session, assets) }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes), let row = line.object("event"),
      let place = line["event"]
    else {
      // This line holds the session itself, from which no entry is made.
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    defer { EmbeddedBase64.cut(value, from: &record) }
    return decoder.entries(of: &record, at: row["event_data"] ?? place)
  }
}
