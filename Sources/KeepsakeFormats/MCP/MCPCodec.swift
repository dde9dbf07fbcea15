import Keepsake

/// Reads and writes the Model Context Protocol's tool results: a single one, or the messages of calls and their
/// results.
enum MCPCodec: WireCodec {
  static let name = "mcp"

  static let format = Format(
    name: name, title: "MCP tool result", fileExtensions: ["json"], canRead: true,
    canWrite: true, artifacts: [.inline, .none],
    sign: "a result with a list of content, or calls of tools/call",
    leavesOut: Losses.ofMessages.union([.conversation, .grouping]))

  static let listKey = "messages"
  static let identity = RecordIdentity.json()

  typealias Reader = MCPReader

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/result", "/0/result"].contains { root in
        isResult(sketch, root) && !sketch.has("/role") && !sketch.has("/type")
      }
        || ["", "/0"].contains { root in
          sketch.has(root + "/jsonrpc") && sketch.text(at: root + "/method") == "tools/call"
        }
    }
  }

  private static func isResult(_ sketch: HeadSketch, _ root: String) -> Bool {
    sketch.kind(at: root + "/content") == .array && !sketch.has(root + "/id")
      && (sketch.has(root + "/content/0/type") || sketch.has(root + "/structuredContent")
        || sketch.has(root + "/isError"))
  }

  /// The forms for writing. A file always holds calls with their results, because a result alone does not name its
  /// tool.
  static func forms(for name: String) -> [WireForm] { [.list] }

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> MCPEncoder { MCPEncoder() }

  static func isMessage(_ record: HeadSketch) -> Bool { record.has("/jsonrpc") }
}
