import Keepsake

/// Writes a record as JSON, and notes the places of attachments.
struct RecordWriter {
  var json = JSONWriter()
  private var holes: [OutgoingRecord.Hole] = []
  var losses = Losses()

  /// Writes a string that ends with an attachment in base64.
  mutating func string(_ text: String, base64 attachment: OutgoingAttachment) {
    json.string(text)
    holes.append(
      .init(position: json.bytes.count - 1, attachment: attachment, isBase64: true))
  }

  /// Writes the bytes of an attachment as a value, for JSON that was too large for an entry.
  mutating func raw(_ attachment: OutgoingAttachment) {
    // An empty string reserves the place of the value, so that commas are right; `finish()` removes its two quotes.
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

  /// Returns the record, without the quotes that reserved places for values.
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
