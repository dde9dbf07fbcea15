import Keepsake

/// Reads and writes the messages of Anthropic's Messages API.
enum AnthropicCodec: WireCodec {
  static let name = "anthropic"

  static let format = Format(
    name: name, title: "Anthropic Messages conversation", fileExtensions: ["json"],
    canRead: true, canWrite: true, artifacts: [.inline, .none], resumes: true,
    sign: "messages of blocks, or with system, a model of Claude's or an input_schema",
    leavesOut: Losses.ofMessages.union([.reasoning, .grouping, .moved]))

  static let listKey = "messages"
  static let identity = RecordIdentity.json()

  typealias Reader = AnthropicReader

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/request", "/0/request", "/body", "/0/body"].contains { root in
        isAnthropic(sketch, root)
      }
    } || hasBlocksFurtherOn(head)
  }

  private static func isAnthropic(_ sketch: HeadSketch, _ root: String) -> Bool {
    if sketch.text(at: root + "/type") == "message", sketch.has(root + "/role", root + "/content") {
      return !sketch.has(root + "/status")
    }
    guard sketch.has(root + "/messages/0/role") else { return false }
    if sketch.has(root + "/system")
      || sketch.text(at: root + "/model")?.hasPrefix("claude") ?? false
      || sketch.has(root + "/tools/0/input_schema")
    {
      return true
    }
    return (0..<3).contains { hasBlocks(sketch, "\(root)/messages/\($0)") }
  }

  /// Returns whether blocks of Anthropic's stand further on in a list whose first messages could be of any format.
  private static func hasBlocksFurtherOn(_ head: FileHead) -> Bool {
    guard head.document.has("/messages/0/role") || head.document.has("/0/role") else {
      return false
    }
    let sketch = HeadSketch(head.bytes, elements: 64)
    return (0..<64).contains {
      hasBlocks(sketch, "/messages/\($0)") || hasBlocks(sketch, "/\($0)")
    }
  }

  private static func hasBlocks(_ sketch: HeadSketch, _ message: String) -> Bool {
    (0..<3).contains { block in
      let type = sketch.text(at: "\(message)/content/\(block)/type")
      return type.map(blocks.contains) ?? false
        || type == "image" && sketch.has("\(message)/content/\(block)/source")
    }
  }

  private static let blocks: Set<String> = [
    "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
    "document",
  ]

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> AnthropicEncoder {
    AnthropicEncoder(form, isNew: sheet == nil)
  }

  static func isMessage(_ record: HeadSketch) -> Bool {
    record.has("/role", "/content") && record.text(at: "/type") != "message"
  }
}
