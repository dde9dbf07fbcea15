import KeepsakeFiles
import Keepsake

/// An item that a model is given: a line's own item, or one of the items with which a compaction replaced earlier
/// lines.
struct CodexItem: Sendable {
  enum Kind { case call, output, reasoning, other }

  let line: Int
  let range: Range<Int>
  let pointer: String
  /// The index of the item in the list of its line; nil where the line holds only the item.
  let index: Int?
  let kind: Kind
  let type: String
  let call: String?
  let tool: String?
  /// Whether the item is a message of anyone except the model.
  let isTold: Bool
  /// The range of the content that only the service can decrypt.
  let encrypted: Range<Int>?
  /// The range of an output's text; nil for an output with other content.
  let text: Range<Int>?
  let images: [(range: Range<Int>, pointer: String, media: SentMedia)]

  init?(_ range: Range<Int>, at pointer: String, index: Int?, of line: Int, in bytes: [UInt8]) {
    guard let item = JSONObject(range, in: bytes) else { return nil }
    self.line = line
    self.range = range
    self.pointer = pointer
    self.index = index
    type = item.string("type") ?? ""
    call = item.name("call_id")
    tool = item.name("name")
    kind =
      switch type {
      case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call": .call
      case _ where type.hasSuffix("_output"): .output
      case "reasoning": .reasoning
      default: .other
      }
    isTold = type == "message" && item.string("role") != "assistant"
    encrypted =
      item.kind("encrypted_content") == .string ? item["encrypted_content"] : nil
    text = kind == .output && item.kind("output") == .string ? item["output"] : nil
    let key = kind == .output ? "output" : "content"
    images = (item.elements(key) ?? []).enumerated().compactMap { index, part in
      guard let object = JSONObject(part, in: bytes), object.string("type") == "input_image",
        let url = object["image_url"], let data = DataURL(url, in: bytes)
      else { return nil }
      let media = SentMedia(
        isImage: true, base64: data.payload, stated: data.mediaType?.description, typeRange: nil,
        in: bytes)
      return (part, "\(pointer)/\(key)/\(index)", media)
    }
  }
}
