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
