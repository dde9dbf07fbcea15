import Keepsake

/// Reads the messages of a session of the Agents SDK, each of which is one item of OpenAI's Responses.
struct OpenAIAgentsDecoder: RecordDecoder {
  static let format = OpenAIAgentsCodec.name

  private var reader = OpenAIResponsesReader()

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes),
      let place = line.elements("message")?.first,
      let row = JSONObject(place, in: record.bytes), let data = row["message_data"]
    else {
      // This record holds the session itself and its usage, from which no entry is made.
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    var said = RecordEntries()
    if let item = JSONObject(data, in: record.bytes) {
      said.add(reader.message(item, at: data, in: &record))
    } else {
      record.remark("The message is no item; it is kept as it is.")
      said.add([.init(record.opaque(data, type: "entry"))], to: .unknown, in: &record)
      said.close(in: &record)
    }
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "entry", because: reason))
    }
    said.stamp(row.string("created_at").flatMap(ForeignTime.date), key: key(of: data, in: record))
    return said.entries
  }

  /// The service's id of an item; nil for the id `__fake_id__`, which the SDK gives to all items of other services.
  private func key(of item: Range<Int>, in record: RecordReader) -> String? {
    let id = JSONObject(item, in: record.bytes)?.name("id")
    return id == "__fake_id__" ? nil : id
  }
}
