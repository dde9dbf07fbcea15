import Keepsake

/// A format that we recognise and do not read yet, so that whoever brings a file of it is told what it is.
struct KnownFormat: Sendable {
  let format: Format
  let recognises: @Sendable (FileHead) -> Bool

  /// The more telling signs stand first: a container before the wire format inside of it.
  static let all: [KnownFormat] = [
    KnownFormat("claude-code", "Claude Code session", ["jsonl"]) { head in
      head.lines.contains { line in
        line.has("/sessionId", "/uuid", "/type") && line.has("/message")
          || line.text(at: "/type") == "summary" && line.has("/leafUuid")
      }
    },
    KnownFormat("codex", "Codex rollout", ["jsonl"]) { head in
      head.lines.contains { line in
        line.text(at: "/type").map(codexRecords.contains) ?? false
          && line.kind(at: "/payload") == .object
      }
    },
    KnownFormat("chatgpt", "ChatGPT data export", ["json"]) { head in
      head.document.kind(at: "/0/mapping") == .object
        || head.document.kind(at: "/mapping") == .object && head.document.has("/current_node")
    },
    KnownFormat("claude-ai", "Claude.ai data export", ["json"]) { head in
      head.document.kind(at: "/0/chat_messages") == .array
        || head.document.kind(at: "/chat_messages") == .array
    },
    KnownFormat("gemini", "Gemini conversation", ["json"]) { head in
      ["", "/0", "/0/response"].contains { root in
        head.document.has(root + "/contents/0/parts")
          || head.document.has(root + "/candidates/0")
      } || head.document.has("/0/parts", "/0/role") && !head.document.has("/0/id")
    },
    KnownFormat("openai-responses", "list of OpenAI Responses items", ["json", "jsonl"]) { head in
      head.document.text(at: "/object") == "response"
        || ["", "/input", "/output"].contains { root in
          head.document.text(at: root + "/0/type").map(responsesItems.contains) ?? false
        }
    },
    KnownFormat("mcp", "MCP tool result", ["json"]) { head in
      ["", "/result"].contains { root in
        head.document.has(root + "/content/0/type")
          && !head.document.has(root + "/role") && !head.document.has(root + "/id")
      } && !head.document.has("/role")
    },
    KnownFormat("anthropic", "Anthropic Messages exchange", ["json", "jsonl"]) { head in
      (head.lines + [head.document]).contains { sketch in
        ["", "/0", "/0/request"].contains { root in isAnthropic(sketch, root) }
      }
    },
    KnownFormat("openai-chat", "OpenAI Chat Completions conversation", ["json", "jsonl"]) { head in
      (head.lines + [head.document]).contains { sketch in
        ["", "/0", "/0/request"].contains { root in
          sketch.has(root + "/messages/0/role")
            || sketch.text(at: root + "/object")?.hasPrefix("chat.completion") ?? false
        } || sketch.has("/0/role", "/0/content")
      }
    },
  ]

  private init(
    _ name: String, _ title: String, _ fileExtensions: [String],
    recognises: @escaping @Sendable (FileHead) -> Bool
  ) {
    format = Format(name: name, title: title, fileExtensions: fileExtensions)
    self.recognises = recognises
  }

  private static let codexRecords: Set<String> = [
    "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
  ]

  private static let responsesItems: Set<String> = [
    "message", "function_call", "function_call_output", "custom_tool_call", "reasoning",
    "image_generation_call", "code_interpreter_call", "web_search_call", "file_search_call",
    "local_shell_call", "mcp_list_tools", "mcp_call", "item_reference",
  ]

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
