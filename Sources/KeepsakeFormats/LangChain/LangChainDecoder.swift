#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads LangChain's messages.
struct LangChainDecoder: RecordDecoder {
  static let format = LangChainCodec.name

  private var calls = KnownCalls()

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let object = JSONObject(value, in: record.bytes) else {
      record.remark("The message is no object; it is kept as it is.")
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    record.noteRepeated(object)
    var said = read(object, at: value, in: &record)
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "message", because: reason))
    }
    return said.entries
  }

  private mutating func read(
    _ object: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> RecordEntries {
    guard var reader = LangChainMessage(object, in: record.bytes, calls) else {
      let reason = "Messages of this type are not known here; this one is kept as it is."
      var said = RecordEntries()
      said.replace(with: record.whole(value, type: "message", because: reason))
      return said
    }
    reader.read(in: &record)
    calls = reader.calls
    return reader.said
  }
}
