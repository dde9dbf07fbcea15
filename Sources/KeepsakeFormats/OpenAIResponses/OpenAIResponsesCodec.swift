import Keepsake

/// Reads and writes the items of OpenAI's Responses, which other services and the Agents SDK use as well.
enum OpenAIResponsesCodec: WireCodec {
  static let name = "openai-responses"

  static let format = Format(
    name: name, title: "list of OpenAI Responses items", otherNames: ["responses"],
    fileExtensions: ["json"], canRead: true, canWrite: true,
    artifacts: [.inline, .none], resumes: true,
    sign: "items such as function_call, or the object response",
    leavesOut: Losses.ofMessages.union([.reasoning, .signatures, .grouping, .moved]))

  static let listKey = "input"
  static let identity = RecordIdentity.json()

  typealias Reader = OpenAIResponsesReader

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/0/response", "/response"].contains {
      head.document.text(at: $0 + "/object") == "response"
    }
      || ["", "/input", "/output", "/data", "/request/input", "/0/request/input"].contains { list in
        (0..<3).contains { isItem(head.document, "\(list)/\($0)") }
      }
      || head.lines.contains { isItem($0, "") && !$0.has("/timestamp") }
  }

  private static func isItem(_ sketch: HeadSketch, _ place: String) -> Bool {
    guard let type = sketch.text(at: place + "/type") else { return false }
    // Anthropic's answers have the type `message` as well, but their blocks have other types.
    if type == "message" {
      let part = sketch.text(at: place + "/content/0/type")
      return sketch.has(place + "/role")
        && (part.map(parts.contains) ?? (sketch.kind(at: place + "/content") == .string))
    }
    return items.contains(type)
  }

  private static let parts: Set<String> = [
    "input_text", "output_text", "input_image", "input_file", "input_audio", "refusal",
  ]

  private static let items: Set<String> = [
    "function_call", "function_call_output", "custom_tool_call", "reasoning",
    "image_generation_call", "code_interpreter_call", "web_search_call", "file_search_call",
    "local_shell_call", "mcp_list_tools", "mcp_call", "item_reference",
  ]

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> OpenAIResponsesEncoder {
    OpenAIResponsesEncoder(form, isNew: sheet == nil)
  }

  static func isMessage(_ record: HeadSketch) -> Bool {
    record.has("/type") && !record.has("/object") || record.has("/role")
  }
}
