import Keepsake

/// What a line of Claude Code says of its place in the conversation.
struct ClaudeCodePlace: Sendable {
  let type: String
  let uuid: String?
  /// The line before it; nil for a first one.
  let parent: String?
  /// The id of the model's message that it is a part of.
  let message: String?
  /// Whether others can follow it in the conversation.
  let isInChain: Bool
  /// Whether the conversation can go on from it.
  let mayBeLast: Bool
  /// Whether it says in short what was said until then, so that the conversation can go on with less.
  let isSummary: Bool

  /// - Parameters:
  ///   - line: The line.
  ///   - said: Its message, where it is a line of one.
  init(_ line: JSONObject, saying said: JSONObject?) {
    type = line.string("type") ?? ""
    uuid = line.name("uuid")
    parent = line.name("parentUuid")
    message = said?.name("id")
    let isAside = line.json("isSidechain")?.boolValue == true
    let isMessage = Self.isMessage(type)
    isInChain = !isAside && uuid != nil && (isMessage || Self.linking.contains(type))
    let isHidden = line.json("isMeta")?.boolValue == true
    mayBeLast = isInChain && isMessage && !isHidden && line.name("teamName") == nil
    isSummary = isMessage && line.json("isCompactSummary")?.boolValue == true
  }

  /// Whether a line of a type is one of a message.
  static func isMessage(_ type: String) -> Bool { type == "user" || type == "assistant" }

  /// What stands between messages in the chain.
  private static let linking: Set<String> = ["attachment", "system", "progress"]

  /// Whether it is another part of a message of the model, which is written in as many lines as it has parts.
  func isPart(ofMessage id: String?) -> Bool {
    type == "assistant" && message != nil && message == id
  }
}
