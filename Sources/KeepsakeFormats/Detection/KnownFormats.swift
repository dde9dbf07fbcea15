import Keepsake

// Formats that are recognised and not read yet, so that whoever brings a file of one is told what it is.

enum ChatGPTFormat: FormatSigns {
  static let format = Format(
    name: "chatgpt", title: "ChatGPT data export", fileExtensions: ["json"])

  static func recognises(_ head: FileHead) -> Bool {
    head.document.kind(at: "/0/mapping") == .object
      || head.document.kind(at: "/mapping") == .object && head.document.has("/current_node")
  }
}

enum ClaudeAIFormat: FormatSigns {
  static let format = Format(
    name: "claude-ai", title: "Claude.ai data export", fileExtensions: ["json"])

  static func recognises(_ head: FileHead) -> Bool {
    head.document.kind(at: "/0/chat_messages") == .array
      || head.document.kind(at: "/chat_messages") == .array
  }
}

enum GeminiFormat: FormatSigns {
  static let format = Format(
    name: "gemini", title: "Gemini conversation", fileExtensions: ["json"])

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/0", "/0/response"].contains { root in
      head.document.has(root + "/contents/0/parts")
        || head.document.has(root + "/candidates/0")
    } || head.document.has("/0/parts", "/0/role") && !head.document.has("/0/id")
  }
}

enum MCPFormat: FormatSigns {
  static let format = Format(
    name: "mcp", title: "MCP tool result", fileExtensions: ["json"])

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/result"].contains { root in
      head.document.has(root + "/content/0/type")
        && !head.document.has(root + "/role") && !head.document.has(root + "/id")
    } && !head.document.has("/role")
  }
}
