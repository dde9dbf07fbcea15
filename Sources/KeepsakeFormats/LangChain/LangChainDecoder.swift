#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads LangChain's messages.
struct LangChainDecoder: ObjectDecoder {
  static let format = LangChainCodec.name
  static let noun = "message"

  private var calls = KnownCalls()

  mutating func read(
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
