import KeepsakeFiles
import Keepsake

/// A session of Claude Code that is being healed: its lines, the path through them, and the messages that are sent.
struct ClaudeCodeConversation {
  private(set) var lines: HeldLines
  private(set) var facts: [ClaudeCodeLine?] = []
  private(set) var path: ClaudeCodePath
  /// The contents of the lines that were looked at, by line.
  private var contents: [Int: SentContent] = [:]

  init(_ file: ForeignFile) throws {
    var facts: [ClaudeCodeLine?] = []
    lines = try HeldLines(file) { _, bytes in facts.append(ClaudeCodeLine(bytes)) }
    self.facts = facts
    path = ClaudeCodePath(lines.order, facts)
  }

  func number(_ line: Int) -> Int { lines.number(line) }

  /// The content of a line's message; nil where the line has none, or it can't be understood.
  mutating func content(_ line: Int) throws -> SentContent? {
    if let known = contents[line] { return known }
    let bytes = try lines.bytes(line)
    let content = JSONObject(0..<bytes.count, in: bytes)?.object("message").flatMap {
      SentContent(of: $0, at: "/message", in: bytes)
    }
    contents[line] = content
    return content
  }

  /// The content of a line that was looked at before, as all sent lines were.
  func known(_ line: Int) -> SentContent? { contents[line] }

  // MARK: What is sent

  /// The lines that are sent: those on the path, and those of calls that ran in parallel.
  ///
  /// Claude Code writes the results of parallel calls as branches, and gathers them when it sends the conversation.
  mutating func sent() throws -> [Int] {
    let lines = path.lines
    var places: [Int: Int] = [:]
    for (place, line) in lines.enumerated() { places[line] = place }
    // The lines beside the path, by the place on the path after which they come, in the order of the file.
    var besides: [Int: [Int]] = [:]
    for (line, parent) in try self.besides() {
      guard var place = places[parent] else { continue }
      while place + 1 < lines.count, try isPart(lines[place + 1], of: parent, before: line) {
        place += 1
      }
      places[line] = place
      besides[place, default: []].append(line)
    }
    return lines.indices.flatMap { [lines[$0]] + (besides[$0] ?? []) }
  }

  /// Returns whether a line on the path continues a message or answers its calls, and stands before another such line in the
  /// file.
  private mutating func isPart(_ next: Int, of parent: Int, before line: Int) throws -> Bool {
    guard let fact = facts[next], path.rank[next] ?? 0 < path.rank[line] ?? 0 else { return false }
    switch fact.type {
    case "assistant": return fact.message == facts[parent]?.message
    case "user": return try content(next)?.isResultsOnly ?? false
    default: return true
    }
  }

  /// The lines beside the path that continue its messages or answer their calls, each with the line that it follows.
  private mutating func besides() throws -> [(line: Int, parent: Int)] {
    var answered: Set<String> = []
    for line in path.lines where facts[line]?.type == "user" {
      answered.formUnion(
        try content(line)?.blocks.compactMap { $0.kind == .result ? $0.id : nil } ?? [])
    }
    var found: [(line: Int, parent: Int)] = []
    var waiting = path.lines.filter { facts[$0]?.type == "assistant" }
    while let parent = waiting.popLast() {
      guard let uuid = facts[parent]?.uuid, let children = path.children[uuid] else { continue }
      for child in children where !path.members.contains(child) {
        guard let fact = facts[child] else { continue }
        if fact.place.isPart(ofMessage: facts[parent]?.message) {
          found.append((child, parent))
          waiting.append(child)
        } else if fact.type == "user", let content = try content(child), content.isResultsOnly {
          let ids = content.blocks.compactMap(\.id)
          let calls = try self.content(parent)?.blocks.compactMap(\.id) ?? []
          if ids.contains(where: { calls.contains($0) && !answered.contains($0) }) {
            answered.formUnion(ids)
            found.append((child, parent))
          }
        }
      }
    }
    return found.sorted { (path.rank[$0.line] ?? 0) < (path.rank[$1.line] ?? 0) }
  }

  /// The messages that are sent. Each joins the lines that a model or a person wrote in a row.
  mutating func messages() throws -> [SentMessage] {
    var messages: [SentMessage] = []
    for line in try sent() {
      guard let fact = facts[line], fact.type == "user" || fact.type == "assistant",
        let content = try content(line)
      else { continue }
      let isModel = fact.type == "assistant"
      if messages.last?.isModel != isModel {
        if isModel, let id = fact.message, let back = Self.resumed(id, in: messages) {
          Self.add(line, content, id: id, to: &messages[back])
          continue
        }
        messages.append(SentMessage(isModel: isModel))
      }
      Self.add(line, content, id: fact.message, to: &messages[messages.count - 1])
    }
    return messages
  }

  /// The index of the message that a model continues after the results of its first calls came; nil where none is
  /// continued.
  private static func resumed(_ id: String, in messages: [SentMessage]) -> Int? {
    guard messages.count >= 2, messages[messages.count - 1].isResultsOnly,
      messages[messages.count - 2].ids.contains(id)
    else { return nil }
    return messages.count - 2
  }

  private static func add(
    _ line: Int, _ content: SentContent, id: String?, to message: inout SentMessage
  ) {
    message.lines.append(line)
    message.blocks += content.blocks.map { (line, $0) }
    message.unsendable += content.unsendable.map { (line, $0) }
    message.bytes += content.range.count
    if let id { message.ids.insert(id) }
  }

  // MARK: Changes

  /// Applies changes to lines, and computes the path anew.
  /// - Parameters:
  ///   - patches: The changes of lines.
  ///   - gone: The lines that are left out.
  ///   - added: New lines, each with the line that it follows.
  mutating func change(
    _ patches: [Int: LinePatch], leavingOut gone: Set<Int>,
    adding added: [(bytes: [UInt8], after: Int)]
  ) throws {
    for line in gone {
      lines.leaveOut(line)
      contents[line] = nil
    }
    for (line, patch) in patches where !gone.contains(line) {
      let bytes = patch.applied(to: try lines.bytes(line))
      lines.replace(line, with: bytes)
      facts[line] = ClaudeCodeLine(bytes)
      contents[line] = nil
    }
    for (bytes, line) in added {
      lines.insert(bytes, after: line)
      facts.append(ClaudeCodeLine(bytes))
    }
    path = ClaudeCodePath(lines.order, facts)
  }
}
