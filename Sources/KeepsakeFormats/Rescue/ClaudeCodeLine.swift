import KeepsakeFiles
import Keepsake

/// What a line of Claude Code says of its place in the conversation.
struct ClaudeCodeLine {
  let place: ClaudeCodePlace
  /// Where the line before it is named, the value alone.
  let parentRange: Range<Int>?
  /// Where the session is named.
  let sessionRange: Range<Int>?
  let cwdRange: Range<Int>?
  let session: String?
  let cwd: String?
  let version: String?
  /// What the program says in it of a request that failed.
  let complaint: String?
  /// What the conversation is called there, and how much that counts.
  let title: (text: String, rank: Int)?
  /// The line that a summary is of.
  let leaf: String?
  /// Whether it lacks what its kind has.
  let isMisshapen: Bool

  /// Reads a line; nil where it is no object.
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
  /// The line before it; nil for a first one.
  var parent: String? { place.parent }
  /// The id of the model's message that it is a part of.
  var message: String? { place.message }
  /// Whether others can follow it in the conversation.
  var isInChain: Bool { place.isInChain }
  /// Whether the conversation can go on from it.
  var mayBeLast: Bool { place.mayBeLast }
}

/// The way through a session's lines from the first one to the last one: what is sent when the conversation goes on.
struct ClaudeCodePath {
  /// A line that names none that is there before it, and the one that it should name.
  struct Break {
    let line: Int
    let parent: Int
  }

  /// The lines, from the first one on.
  let lines: [Int]
  let members: Set<Int>
  let breaks: [Break]
  /// Where each line stands in the file.
  let rank: [Int: Int]
  /// The lines that follow a line, by its uuid.
  let children: [String: [Int]]

  /// - Parameters:
  ///   - order: The lines that there are, in their order.
  ///   - facts: What they say; nil where one is no object.
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
      // The nearest before it in the file; for the first one there is none, and nothing is missing.
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
