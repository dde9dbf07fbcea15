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

enum OpenAIResponsesFormat: FormatSigns {
  static let format = Format(
    name: "openai-responses", title: "list of OpenAI Responses items",
    fileExtensions: ["json", "jsonl"])

  static func recognises(_ head: FileHead) -> Bool {
    head.document.text(at: "/object") == "response"
      || ["", "/input", "/output"].contains { root in
        head.document.text(at: root + "/0/type").map(items.contains) ?? false
      }
  }

  private static let items: Set<String> = [
    "message", "function_call", "function_call_output", "custom_tool_call", "reasoning",
    "image_generation_call", "code_interpreter_call", "web_search_call", "file_search_call",
    "local_shell_call", "mcp_list_tools", "mcp_call", "item_reference",
  ]
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

enum AnthropicFormat: FormatSigns {
  static let format = Format(
    name: "anthropic", title: "Anthropic Messages exchange", fileExtensions: ["json", "jsonl"])

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/0/request"].contains { root in isAnthropic(sketch, root) }
    }
  }

  private static let anthropicBlocks: Set<String> = [
    "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use",
    "document",
  ]

  private static func isAnthropic(_ sketch: HeadSketch, _ root: String) -> Bool {
    if sketch.text(at: root + "/type") == "message", sketch.has(root + "/role", root + "/content") {
      return !sketch.has(root + "/status")
    }
    guard sketch.has(root + "/messages/0/role") else { return false }
    if sketch.has(root + "/system")
      || sketch.text(at: root + "/model")?.hasPrefix("claude") ?? false
    {
      return true
    }
    return (0..<3).contains { message in
      (0..<3).contains { block in
        sketch.text(at: "\(root)/messages/\(message)/content/\(block)/type")
          .map(anthropicBlocks.contains) ?? false
      }
    }
  }
}

enum OpenAIChatFormat: FormatSigns {
  static let format = Format(
    name: "openai-chat", title: "OpenAI Chat Completions conversation",
    fileExtensions: ["json", "jsonl"])

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/0/request"].contains { root in
        sketch.has(root + "/messages/0/role")
          || sketch.text(at: root + "/object")?.hasPrefix("chat.completion") ?? false
      } || sketch.has("/0/role", "/0/content")
    }
  }
}
