import Keepsake

/// Reads a conversation as a single record, of which one branch becomes entries.
struct BranchReading<C: ConversationTreeCodec>: SourceReading {
  let bytes: [UInt8]
  let value: Range<Int>
  let path: [ConversationTree.Node]
  let facts: SourceFacts
  let assets: AssetFolder?
  var isRead = false

  mutating func next() throws -> SourceRecord? {
    if isRead { return nil }
    isRead = true
    var record = RecordReader(bytes, format: C.format.name)
    guard let object = JSONObject(value, in: bytes) else { return SourceRecord(bytes) }
    var reader = C.Reader(object, assets)
    for node in path {
      guard let place = node.message, let message = JSONObject(place, in: bytes) else { continue }
      reader.read(message, at: place, id: node.id, in: &record)
    }
    EmbeddedBase64.cut(value, from: &record)
    return SourceRecord(
      bytes, entries: reader.entries, spans: record.spans, remarks: record.remarks)
  }
}
