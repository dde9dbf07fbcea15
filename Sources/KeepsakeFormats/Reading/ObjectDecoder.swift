import Keepsake

/// A decoder of records that are objects. A record that is no object, or too large for an entry, is kept as opaque.
protocol ObjectDecoder: RecordDecoder {
  /// The format's word for a record, such as `message`.
  static var noun: String { get }

  /// Reads the entries of an object.
  mutating func read(_ object: JSONObject, at value: Range<Int>, in record: inout RecordReader)
    -> RecordEntries

  /// Completes the entries of an object with what applies to all of them, also where the object is kept as opaque.
  mutating func complete(_ said: inout RecordEntries, of object: JSONObject)
}

extension ObjectDecoder {
  mutating func complete(_ said: inout RecordEntries, of object: JSONObject) {}

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let object = JSONObject(value, in: record.bytes) else {
      record.remark("The \(Self.noun) is no object; it is kept as it is.")
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    record.noteRepeated(object)
    var said = read(object, at: value, in: &record)
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The \(Self.noun) is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: Self.noun, because: reason))
    }
    complete(&said, of: object)
    return said.entries
  }
}
