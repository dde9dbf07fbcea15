#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the messages of the AI SDK.
struct AISDKDecoder: RecordDecoder {
  static let format = AISDKCodec.name

  let facts: SourceFacts
  private var calls = KnownCalls()

  /// - Parameter envelope: What stands around the messages; nil where it is damaged.
  init(_ envelope: JSON?) {
    facts = SourceFacts(id: envelope?["id"]?.stringValue, title: envelope?["title"]?.stringValue)
  }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let message = JSONObject(value, in: record.bytes) else {
      record.remark("The message is no object; it is kept as it is.")
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    record.noteRepeated(message)
    var said = read(message, at: value, in: &record)
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "message", because: reason))
    }
    let about = message.json("metadata")
    let created = (message.json("createdAt") ?? about?["createdAt"]).flatMap(ForeignTime.date)
    said.stamp(created, key: message.name("id"))
    said.complete(model: Self.model(about), usage: Self.usage(about))
    return said.entries
  }

  private mutating func read(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> RecordEntries {
    guard var reader = AISDKMessage(message, calls) else {
      let role = message.string("role") ?? ""
      record.remark("The role '\(role)' is not known; the message is kept as it is.")
      var said = RecordEntries()
      said.add([.init(record.opaque(value, type: "message"))], to: .unknown, in: &record)
      said.close(in: &record)
      return said
    }
    reader.read(in: &record)
    calls = reader.calls
    return reader.said
  }

  /// What the metadata of a message says is the app's affair; these are the names that the documentation shows.
  private static func model(_ about: JSON?) -> String? {
    about?["model"]?.stringValue ?? about?["modelId"]?.stringValue
  }

  private static func usage(_ about: JSON?) -> Usage? {
    let reported = about?["totalUsage"] ?? about?["usage"]
    return reported.flatMap { $0.kind == .object ? Usage(reported: $0) : nil }
  }
}
