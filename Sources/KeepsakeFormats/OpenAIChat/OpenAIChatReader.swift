#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads messages of OpenAI's Chat Completions in their order.
struct OpenAIChatReader: WireReader {
  static let format = OpenAIChatCodec.name
  static let listKey = OpenAIChatCodec.listKey

  private var calls = KnownCalls()

  func instructions(_ request: JSON) -> Entry? { .instructions([], tools: request["tools"]) }

  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    var reader = OpenAIChatMessage(message, record, calls)
    if let entries = reader.entries() {
      record = reader.record
      calls = reader.calls
      return entries
    }
    let role = message.string("role").map { "Messages of the role '\($0)' are" }
    record.remark("\(role ?? "Messages without a role are") not known here; this one is kept.")
    let content = record.opaque(value, type: "entry")
    return [record.finish(Entry(.unknown, segments: [.init(content)], created: nil))]
  }

  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]? {
    guard let choices = answer.elements("choices") else { return nil }
    var entries: [SourceEntry] = []
    for choice in choices {
      guard let place = JSONObject(choice, in: record.bytes)?["message"],
        let message = JSONObject(place, in: record.bytes)
      else { continue }
      entries += self.message(message, at: place, in: &record)
    }
    entries.complete(
      model: answer.string("model"), usage: answer.json("usage"),
      created: answer.time("created"))
    return entries
  }
}
