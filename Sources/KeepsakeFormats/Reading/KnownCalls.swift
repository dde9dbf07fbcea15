import Keepsake

/// The calls of a conversation so far: outputs say only the id of theirs, and in some formats only the name of the tool.
struct KnownCalls: Sendable, Codable {
  private var tools: [String: String] = [:]
  /// The id of the newest call of each tool.
  private var newest: [String: String] = [:]
  private var unnamed = 0

  /// Notes a call. One without an id gets one that is the same the next time.
  mutating func call(_ id: String?, tool: String, arguments: String) -> Entry.ToolCall {
    if id == nil { unnamed += 1 }
    let id = id ?? "call_\(unnamed)"
    tools[id] = tool
    newest[tool] = id
    return Entry.ToolCall(id: id, tool: tool, arguments: arguments)
  }

  /// The tool that the newest call of an id asked for.
  func tool(of id: String) -> String? { tools[id] }

  func newest(of tool: String) -> String? { newest[tool] }
}
