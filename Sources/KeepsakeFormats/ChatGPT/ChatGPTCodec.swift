import Keepsake

/// Reads ChatGPT's data export: `conversations.json`, or `conversations-000.json` and so on, with the files beside
/// it.
enum ChatGPTCodec: ConversationTreeCodec {
  static let name = "chatgpt"

  static let format = Format(
    name: name, title: "ChatGPT data export", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "conversations with a mapping of messages")

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/0", "/1", "/2"].contains { root in
      head.document.kind(at: root + "/mapping") == .object
    }
  }

  typealias Reader = ChatGPTMessages

  static func tree(_ conversation: JSONObject) -> ConversationTree? {
    guard let mapping = conversation.object("mapping") else { return nil }
    let nodes = mapping.members.map { key, place in
      let node = JSONObject(place, in: conversation.bytes)
      let message = node?.kind("message") == .object ? node?["message"] : nil
      return (id: key, parent: node?.string("parent"), message: message)
    }
    return ConversationTree(
      nodes, current: conversation.string("current_node"),
      SourceFacts(
        id: conversation.name("conversation_id") ?? conversation.name("id"),
        title: conversation.name("title")))
  }
}
