import Keepsake

/// Reads Claude.ai's data export: `conversations.json`, which holds all conversations, or a file with one
/// conversation.
enum ClaudeAICodec: ConversationTreeCodec {
  static let name = "claude-ai"

  static let format = Format(
    name: name, title: "Claude.ai data export", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "conversations with chat_messages")

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/0", "/1", "/2"].contains { head.document.kind(at: $0 + "/chat_messages") == .array }
  }

  typealias Reader = ClaudeAIMessages

  static func tree(_ conversation: JSONObject) -> ConversationTree? {
    guard let messages = conversation.elements("chat_messages") else { return nil }
    var nodes: [(id: String, parent: String?, message: Range<Int>?)] = []
    for (index, message) in messages.enumerated() {
      guard let object = JSONObject(message, in: conversation.bytes) else { continue }
      // Older exports don't name a message's parent: each message follows the one before it in the list.
      let parent =
        object["parent_message_uuid"] == nil
        ? nodes.last?.id : object.string("parent_message_uuid")
      nodes.append((object.string("uuid") ?? "\(index)", parent, message))
    }
    return ConversationTree(
      nodes, current: conversation.string("current_leaf_message_uuid"),
      SourceFacts(id: conversation.name("uuid"), title: conversation.name("name")))
  }
}
