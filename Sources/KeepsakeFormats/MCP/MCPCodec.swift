import Keepsake

/// Results of tools, as the Model Context Protocol has them: one by itself, or the messages of calls and their results.
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

  /// A file that is written holds calls with their results, since a result alone does not say of what it is one.
  static func forms(for name: String) -> [WireForm] { [.list] }

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> MCPEncoder { MCPEncoder() }

  static func isMessage(_ record: HeadSketch) -> Bool { record.has("/jsonrpc") }
}
