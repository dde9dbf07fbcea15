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

/// The path through a session's lines from the first to the last, which is sent when the conversation goes on.
struct ClaudeCodePath {
  /// A line on the path whose parent is missing, and the line that should be its parent.
  struct Break {
    let line: Int
    let parent: Int
  }

  /// The lines on the path, from the first on.
  let lines: [Int]
  let members: Set<Int>
  let breaks: [Break]
  /// The index of each line in the order of the file.
  let rank: [Int: Int]
  /// The lines that follow a line, by its uuid.
  let children: [String: [Int]]

  /// - Parameters:
  ///   - order: The lines in the order of the file.
  ///   - facts: The facts in each line; nil for a line that is no object.
  init(_ order: [Int], _ facts: [ClaudeCodeLine?]) {
    var places: [String: Int] = [:]
    var rank: [Int: Int] = [:]
    var children: [String: [Int]] = [:]
    for (index, line) in order.enumerated() {
      rank[line] = index
      guard let fact = facts[line], fact.isInChain, let uuid = fact.uuid else { continue }
      places[uuid] = line
      if let parent = fact.parent { children[parent, default: []].append(line) }
    }
    var path: [Int] = []
    var breaks: [Break] = []
    var seen: Set<Int> = []
    var next = order.last { facts[$0]?.mayBeLast ?? false }
    while let line = next {
      path.append(line)
      seen.insert(line)
      guard let parent = facts[line]?.parent else { break }
      if let before = places[parent], !seen.contains(before) {
        next = before
        continue
      }
      // The nearest earlier line takes the place of a missing parent. A first line has none, and nothing is missing.
      next = order[..<(rank[line] ?? 0)].last {
        !seen.contains($0) && facts[$0]?.isInChain ?? false
      }
      if let found = next { breaks.append(Break(line: line, parent: found)) }
    }
    lines = path.reversed()
    members = seen
    self.breaks = breaks
    self.rank = rank
    self.children = children
  }
}
