#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the messages of the AI SDK.
struct AISDKDecoder: ObjectDecoder {
  static let format = AISDKCodec.name
  static let noun = "message"

  let facts: SourceFacts
  private var calls = KnownCalls()

  /// - Parameter envelope: The JSON around the messages; nil where it is damaged.
  init(_ envelope: JSON?) {
    facts = SourceFacts(id: envelope?["id"]?.stringValue, title: envelope?["title"]?.stringValue)
  }

  func complete(_ said: inout RecordEntries, of message: JSONObject) {
    let about = message.json("metadata")
    let created = (message.json("createdAt") ?? about?["createdAt"]).flatMap(ForeignTime.date)
    said.stamp(created, key: message.name("id"))
    said.complete(model: Self.model(about), usage: Self.usage(about))
  }

  mutating func read(
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

  // Each app decides what the metadata of a message holds. These are the names that the SDK's documentation shows.
  private static func model(_ about: JSON?) -> String? {
    about?["model"]?.stringValue ?? about?["modelId"]?.stringValue
  }

  private static func usage(_ about: JSON?) -> Usage? {
    let reported = about?["totalUsage"] ?? about?["usage"]
    return reported.flatMap { $0.kind == .object ? Usage(reported: $0) : nil }
  }
}
