import Keepsake

/// Reads records that are objects. One that is none, or too large for an entry, is kept as it is.
protocol ObjectDecoder: RecordDecoder {
  /// What the format calls a record: `message`.
  static var noun: String { get }

  /// The entries that an object says.
  mutating func read(_ object: JSONObject, at value: Range<Int>, in record: inout RecordReader)
    -> RecordEntries

  /// Says of the entries of an object what holds of all of them, also where it is kept as it is.
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
