import KeepsakeFiles
import Keepsake

/// The facts in a line of Claude Code that healing needs.
struct ClaudeCodeLine {
  let place: ClaudeCodePlace
  /// The range of the value that names the line before this one.
  let parentRange: Range<Int>?
  /// The range of the value that names the session.
  let sessionRange: Range<Int>?
  let cwdRange: Range<Int>?
  let session: String?
  let cwd: String?
  let version: String?
  /// The program's message about a failed request.
  let complaint: String?
  /// The title of the conversation in the line, with a rank: a title of a higher rank is preferred.
  let title: (text: String, rank: Int)?
  /// The uuid of the line that a summary belongs to.
  let leaf: String?
  /// Whether the line lacks the content of its kind.
  let isMisshapen: Bool

  /// Reads a line; nil where the line is no object.
  init?(_ bytes: [UInt8]) {
    guard HeldLines.isJSON(bytes), let line = JSONObject(0..<bytes.count, in: bytes) else {
      return nil
    }
    let type = line.string("type") ?? ""
    let isMessage = ClaudeCodePlace.isMessage(type)
    // A message may be large, and only a few of its members are read.
    let said = isMessage ? line.object("message") : nil
    place = ClaudeCodePlace(line, saying: said)
    parentRange = line["parentUuid"]
    session = line.name("sessionId")
    sessionRange = line["sessionId"]
    cwd = line.name("cwd")
    cwdRange = line["cwd"]
    version = line.name("version")
    leaf = type == "summary" ? line.string("leafUuid") : nil
    isMisshapen =
      switch type {
      case "user", "assistant":
        said?.kind("content").map { $0 != .string && $0 != .array } ?? true
      case "attachment": line.object("attachment") == nil
      default: false
      }
    complaint =
      line.json("isApiErrorMessage")?.boolValue == true ? said.flatMap(Self.firstText) : nil
    title =
      switch type {
      case "custom-title": line.name("customTitle").map { ($0, 3) }
      case "ai-title": (line.name("aiTitle") ?? line.name("title")).map { ($0, 2) }
      case "summary": line.name("summary").map { ($0, 1) }
      default: nil
      }
  }

  private static func firstText(_ message: JSONObject) -> String? {
    if let text = message.string("content") { return text }
    let blocks = message.elements("content") ?? []
    return blocks.lazy.compactMap { JSONObject($0, in: message.bytes)?.name("text") }.first
  }
}

extension ClaudeCodeLine {
  var type: String { place.type }
  var uuid: String? { place.uuid }
  /// The uuid of the line that this line follows; nil for a first line.
  var parent: String? { place.parent }
  /// The id of the model's message that the line is a part of.
  var message: String? { place.message }
  /// Whether other lines of the conversation can follow this line.
  var isInChain: Bool { place.isInChain }
  /// Whether the conversation can end at this line and go on from it.
  var mayBeLast: Bool { place.mayBeLast }
}
