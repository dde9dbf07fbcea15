import Keepsake

/// The calls of a conversation so far, for outputs that name only the id of their call, or only the tool.
struct KnownCalls: Sendable, Codable {
  private var tools: [String: String] = [:]
  /// The id of the newest call of each tool.
  private var newest: [String: String] = [:]
  private var unnamed = 0

  /// Notes a call. A call without an id gets one that is the same at every reading.
  mutating func call(_ id: String?, tool: String, arguments: String) -> Entry.ToolCall {
    if id == nil { unnamed += 1 }
    let id = id ?? "call_\(unnamed)"
    tools[id] = tool
    newest[tool] = id
    return Entry.ToolCall(id: id, tool: tool, arguments: arguments)
  }

  /// The tool of the newest call with an id.
  func tool(of id: String) -> String? { tools[id] }

  func newest(of tool: String) -> String? { newest[tool] }
}
