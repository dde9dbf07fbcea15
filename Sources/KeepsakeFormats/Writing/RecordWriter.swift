import Keepsake

/// Writes a record as JSON, and notes where attachments go.
struct RecordWriter {
  var json = JSONWriter()
  private var holes: [OutgoingRecord.Hole] = []
  var losses = Losses()

  /// A string that ends with an attachment as base64.
  mutating func string(_ text: String, base64 attachment: OutgoingAttachment) {
    json.string(text)
    holes.append(
      .init(position: json.bytes.count - 1, attachment: attachment, isBase64: true))
  }

  /// A value that is an attachment's bytes: JSON that was too large for an entry.
  mutating func raw(_ attachment: OutgoingAttachment) {
    // The writer puts the comma, and two quotes that are taken away again.
    json.string("")
    holes.append(
      .init(position: json.bytes.count, attachment: attachment, isBase64: false))
  }

  mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    json.key(key)
    json.string(value)
  }

  mutating func member(_ key: StaticString, _ value: JSON?) {
    guard let value else { return }
    json.key(key)
    json.raw(value)
  }

  mutating func members(_ members: [(key: String, value: JSON)]) {
    for (key, value) in members {
      json.key(escaping: key)
      json.raw(value)
    }
  }

  /// The record; the quotes that stood for raw values are gone from it.
  func finish() -> OutgoingRecord {
    guard holes.contains(where: { !$0.isBase64 }) else {
      return OutgoingRecord(bytes: json.bytes, holes: holes)
    }
    var record = OutgoingRecord(bytes: [])
    var start = 0
    for hole in holes {
      record.bytes += json.bytes[start..<(hole.isBase64 ? hole.position : hole.position - 2)]
      start = hole.position
      record.holes.append(
        .init(
          position: record.bytes.count, attachment: hole.attachment, isBase64: hole.isBase64))
    }
    record.bytes += json.bytes[start...]
    return record
  }
}
