import Keepsake

/// The place of a line of Claude Code in the conversation.
struct ClaudeCodePlace: Sendable {
  let type: String
  let uuid: String?
  /// The uuid of the line that this line follows; nil for a first line.
  let parent: String?
  /// The id of the model's message that the line is a part of.
  let message: String?
  /// Whether other lines of the conversation can follow this line.
  let isInChain: Bool
  /// Whether the conversation can end at this line and go on from it.
  let mayBeLast: Bool
  /// Whether the line summarises the conversation before it, so that the conversation can go on with less.
  let isSummary: Bool

  /// - Parameters:
  ///   - line: The line.
  ///   - said: The line's message; nil where the line has none.
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

  /// Returns whether lines of a type hold a message.
  static func isMessage(_ type: String) -> Bool { type == "user" || type == "assistant" }

  /// The types of lines that stand between messages in the chain.
  private static let linking: Set<String> = ["attachment", "system", "progress"]

  /// Returns whether the line is another part of a model's message. The program writes a line for each part.
  func isPart(ofMessage id: String?) -> Bool {
    type == "assistant" && message != nil && message == id
  }
}
