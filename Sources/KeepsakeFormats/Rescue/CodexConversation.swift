import KeepsakeFiles
import Keepsake

/// A rollout of Codex that is being healed: its lines, and the items that the model is given when the session goes
/// on.
struct CodexConversation {
  private(set) var lines: HeldLines
  private(set) var facts: [CodexRolloutLine?] = []
  private var items: [Int: [CodexItem]] = [:]

  init(_ file: ForeignFile) throws {
    var facts: [CodexRolloutLine?] = []
    lines = try HeldLines(file) { _, bytes in facts.append(CodexRolloutLine(bytes)) }
    self.facts = facts
  }

  func number(_ line: Int) -> Int { line == HeldLines.beginning ? 1 : lines.number(line) }

  /// The items that are sent: those of the last compaction, and all that follow it.
  mutating func sent() throws -> [CodexItem] {
    var sent: [CodexItem] = []
    for line in lines.order {
      guard let fact = facts[line] else { continue }
      if fact.type == "response_item" { sent += try items(of: line, fact) }
      if fact.type == "compacted" {
        let history = try items(of: line, fact)
        // A compaction without a history replaces nothing.
        if !history.isEmpty { sent = history }
      }
    }
    return sent
  }

  private mutating func items(of line: Int, _ fact: CodexRolloutLine) throws -> [CodexItem] {
    if let known = items[line] { return known }
    let bytes = try lines.bytes(line)
    let found: [CodexItem]
    if fact.type == "compacted" {
      let list = JSONObject(fact.payload, in: bytes)?.elements("replacement_history") ?? []
      found = list.enumerated().compactMap { index, item in
        CodexItem(
          item, at: "/payload/replacement_history/\(index)", index: index, of: line, in: bytes)
      }
    } else {
      found = [CodexItem(fact.payload, at: "/payload", index: nil, of: line, in: bytes)]
        .compactMap { $0 }
    }
    items[line] = found
    return found
  }

  /// Applies a round of remedies to the lines.
  mutating func change(_ round: RemedyRound) throws {
    for line in round.gone {
      lines.leaveOut(line)
      items[line] = nil
    }
    for (line, patch) in round.patches where !round.gone.contains(line) {
      let bytes = patch.applied(to: try lines.bytes(line))
      lines.replace(line, with: bytes)
      facts[line] = CodexRolloutLine(bytes)
      items[line] = nil
    }
    for (bytes, _, line) in round.additions {
      lines.insert(bytes, after: line)
      facts.append(CodexRolloutLine(bytes))
    }
  }
}
