#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads items of OpenAI's Responses in their order.
struct OpenAIResponsesReader: WireReader {
  static let format = OpenAIResponsesCodec.name
  static let listKey = OpenAIResponsesCodec.listKey

  static let joinsElements = true

  /// Returns whether two items are calls of functions. Calls that a model makes together come as an item each, and become one
  /// entry.
  static func joins(_ element: JSONObject, to last: JSONObject) -> Bool {
    element.string("type") == "function_call" && last.string("type") == "function_call"
  }

  static func joined(_ entries: [SourceEntry]) -> [SourceEntry] { entries.withJoinedCalls() }

  private var calls = KnownCalls()

  func instructions(_ request: JSON) -> Entry? {
    let text = request["instructions"]?.stringValue ?? ""
    return .instructions(text.isEmpty ? [] : [.text(text)], tools: request["tools"])
  }

  mutating func message(
    _ message: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    var reader = ResponsesItem(message, record, calls)
    do throws(RecordReader.Unreadable) {
      var entries = try reader.entries()
      record = reader.record
      calls = reader.calls
      for index in entries.indices { entries[index].entry.created = nil }
      if let key = message.name("id"), !entries.isEmpty { entries[0].entry.key = key }
      return entries
    } catch {
      let type = message.string("type") ?? ""
      record.remark("The item '\(type)' is kept as it is, and not understood: \(error.reason).")
      let content = record.opaque(value, type: "entry")
      return [record.finish(Entry(.unknown, segments: [.init(content)], created: nil))]
    }
  }

  mutating func answer(
    _ answer: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry]? {
    guard answer["type"] == nil, let items = answer.elements("output") ?? answer.elements("data")
    else { return nil }
    var entries: [SourceEntry] = []
    for item in items {
      guard let object = JSONObject(item, in: record.bytes) else { continue }
      entries += message(object, at: item, in: &record)
    }
    entries = entries.withJoinedCalls()
    entries.complete(
      model: answer.string("model"), usage: answer.json("usage"),
      created: answer.time("created_at"))
    return entries
  }
}
