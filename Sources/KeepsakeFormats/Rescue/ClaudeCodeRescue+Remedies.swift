import KeepsakeFiles
import Keepsake

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ClaudeCodeRescue {
  /// The next remedies: those of the first kind of fault that occurs.
  ///
  /// Faults are looked for in a fixed order, because later kinds can be judged only after earlier ones are healed.
  func remedies(in messages: [SentMessage]) throws -> [Remedy] {
    let ofFile = [lines, chain, place]
    for find in ofFile {
      let found = find()
      if !found.isEmpty { return found }
    }
    let ofAll = [thinking, length]
    for find in ofAll {
      let found = find(messages)
      if !found.isEmpty { return found }
    }
    for find in [rules.content, rules.ids, rules.pairing, rules.counts, rules.size] {
      let faults = find(messages)
      let found = try remedies(faults, in: messages)
      if !found.isEmpty { return found }
    }
    return []
  }

  private func remedies(
    _ faults: [AnthropicRules.Fault], in messages: [SentMessage]
  ) throws -> [Remedy] {
    var found: [Remedy] = []
    var stripped: Set<Int> = []
    var answered: Set<Int> = []
    for fault in faults {
      if isOfThinking(fault) {
        // One remedy removes all thinking of a turn.
        let turn = Self.turn(of: fault.message, in: messages)
        guard stripped.insert(turn.lowerBound).inserted else { continue }
        found.append(strip(messages[turn], fault.cause, fault.line, fault.detail))
      } else if fault.cause == .callUnanswered, fault.block?.kind == .call {
        // One added line answers all calls of a message.
        guard answered.insert(fault.message).inserted else { continue }
        if let remedy = try answer(fault, in: messages) { found.append(remedy) }
      } else if let remedy = try remedy(fault, in: messages) {
        found.append(remedy)
      }
    }
    return found
  }

  /// Returns whether a fault concerns thinking, which can't be changed: it stays as it was, or is removed.
  private func isOfThinking(_ fault: AnthropicRules.Fault) -> Bool {
    switch fault.cause {
    case .thinkingLast, .thinkingUnsigned: true
    case .surrogate, .controlCharacter:
      conversation.known(fault.line).map { content in
        content.unsendable.contains { escape in
          content.blocks.contains {
            $0.kind == .thinking && $0.range.contains(escape.range.lowerBound)
          }
        }
      } ?? false
    default: false
    }
  }

  // MARK: The file

  /// Leaves out lines that can't be read.
  private func lines() -> [Remedy] {
    let facts = conversation.facts
    let uuids = Set(facts.compactMap { $0?.uuid })
    return conversation.lines.order.compactMap { line in
      var remedy: Remedy
      switch facts[line] {
      case nil: remedy = Remedy(.lineDamaged, line, "It is no object of JSON.")
      case let fact? where fact.leaf.map({ !uuids.contains($0) }) ?? false:
        remedy = Remedy(.lineUnreadable, line, "It sums up a line that is not in the file.")
      case let fact? where fact.isMisshapen && conversation.path.members.contains(line):
        remedy = Remedy(.lineUnreadable, line, "A line of the kind '\(fact.type)' has no content.")
      default: return nil
      }
      remedy.leavesOut = [(line, .leaveOut)]
      return remedy
    }
  }

  private func chain() -> [Remedy] {
    conversation.path.breaks.map { broken in
      var remedy = Remedy(
        .chainBroken, broken.line,
        "It follows no line that stands before it; what comes before would be lost.")
      let (range, bytes) = link(broken.line, to: conversation.facts[broken.parent]?.uuid)
      remedy.replace(range, of: broken.line, with: bytes, .relink, at: "/parentUuid")
      return remedy
    }
  }

  /// Changes the folder in all lines, where the person says that it has moved.
  private func place() -> [Remedy] {
    guard let new = options.folder, let old = folder, new != old else { return [] }
    var remedy: Remedy?
    for line in conversation.lines.order {
      guard let fact = conversation.facts[line], let cwd = fact.cwd, let range = fact.cwdRange,
        cwd == old || cwd.hasPrefix("\(old)/")
      else { continue }
      if remedy == nil { remedy = Remedy(.folderMoved, line, "It was '\(old)'.") }
      let moved = RescueText.json(new + cwd.dropFirst(old.count))
      remedy?.replace(range, of: line, with: moved, .move, at: "/cwd")
    }
    return remedy.map { [$0] } ?? []
  }

  // MARK: What the file itself complains of

  /// Removes thinking, where the service refused it in the last request, or where the person asks for that.
  private func thinking(_ messages: [SentMessage]) -> [Remedy] {
    let complaint = complaint()?.text.lowercased() ?? ""
    let isRefused = complaint.contains("thinking") && !complaint.contains("too long")
    guard options.stripsThinking || isRefused,
      let first = messages.first(where: { $0.blocks.contains { $0.block.kind == .thinking } })
    else { return [] }
    let detail =
      isRefused ? "The last request failed over it." : "It is asked for that all of it goes."
    return [strip(messages[...], .thinkingRefused, first.lines[0], detail)]
  }

  /// Removes whole turns from the beginning of a conversation that the service calls too long, until an estimate
  /// fits.
  private func length(_ messages: [SentMessage]) -> [Remedy] {
    guard let text = complaint()?.text, text.lowercased().contains("too long") else { return [] }
    // A fifth of the limit stays free for the answer.
    var room = rules.limits.tokens - rules.limits.tokens / 5
    let total = messages.reduce(0) { $0 + Self.tokens(in: $1) }
    guard total > room else { return [] }
    var start: Int?
    for message in messages.reversed() {
      room -= Self.tokens(in: message)
      if room < 0 { break }
      if !message.isModel, !message.blocks.contains(where: { $0.block.kind == .result }),
        let line = message.lines.first, conversation.path.members.contains(line)
      {
        start = line
      }
    }
    guard let start, conversation.facts[start]?.parent != nil else { return [] }
    var remedy = Remedy(
      .promptTooLong, start,
      "About \(total) tokens are sent. The conversation begins here from now on; what was before is kept in the old file."
    )
    let (range, bytes) = link(start, to: nil)
    remedy.replace(range, of: start, with: bytes, .relink, at: "/parentUuid")
    return [remedy]
  }

  /// An estimate of a message's tokens: three bytes a token, and 1,600 tokens an image.
  private static func tokens(in message: SentMessage) -> Int {
    let media = message.media.map(\.media)
    let images = media.reduce(0) { $0 + $1.encoded }
    return (message.bytes - images) / 3 + media.count * 1_600
  }

  // MARK: Messages

  /// The messages after one that a person wrote, up to the next such message.
  private static func turn(of index: Int, in messages: [SentMessage]) -> Range<Int> {
    func isPersons(_ message: SentMessage) -> Bool { !message.isModel && !message.isResultsOnly }
    let start = messages[..<index].lastIndex(where: isPersons).map { $0 + 1 } ?? 0
    let end = messages[index...].firstIndex(where: isPersons) ?? messages.count
    return start..<end
  }

  /// Removes all thinking from some messages. A line with nothing but thinking is left out.
  private func strip(
    _ messages: ArraySlice<SentMessage>, _ cause: RescueCause, _ line: Int, _ detail: String
  ) -> Remedy {
    var remedy = Remedy(cause, line, detail)
    for line in messages.flatMap(\.lines) {
      guard let content = conversation.known(line) else { continue }
      let thoughts = content.blocks.indices.filter { content.blocks[$0].kind == .thinking }
      if thoughts.isEmpty { continue }
      if thoughts.count == content.blocks.count {
        remedy.leavesOut.append((line, .strip))
      } else {
        remove(thoughts, from: content.blocks, of: line, .strip, &remedy)
      }
    }
    return remedy
  }

  /// Removes elements from a list in which others stay, together with their commas.
  private func remove(
    _ indexes: [Int], from list: [SentBlock], of line: Int, _ edit: RescueEdit,
    _ remedy: inout Remedy
  ) {
    let first = list.indices.first { !indexes.contains($0) } ?? list.count
    for index in indexes {
      let range =
        index < first
        ? list[index].range.lowerBound..<list[index + 1].range.lowerBound
        : list[index - 1].range.upperBound..<list[index].range.upperBound
      remedy.replace(range, of: line, with: [], edit, at: list[index].pointer)
    }
  }

  /// Adds a line with results for the calls of a message that have none.
  private func answer(
    _ fault: AnthropicRules.Fault, in messages: [SentMessage]
  ) throws -> Remedy? {
    let message = messages[fault.message]
    guard let last = message.lines.last(where: { conversation.path.members.contains($0) }),
      let parent = conversation.facts[last]?.uuid
    else { return nil }
    let next = fault.message + 1 < messages.count ? messages[fault.message + 1].results : []
    let answered = Set(next.compactMap(\.block.id))
    let open = message.calls.compactMap(\.block.id).filter { !answered.contains($0) }
    let bytes = try conversation.lines.bytes(last)
    guard let model = JSONObject(0..<bytes.count, in: bytes) else { return nil }
    let uuid = UUID().text
    var remedy = Remedy(
      .callUnanswered, fault.line,
      open.count == 1
        ? fault.detail : "\(open.count) calls have none: \(open.joined(separator: ", ")).")
    remedy.addition = (Self.results(of: open, uuid, after: parent, like: model), uuid, last)
    return remedy
  }

  private static func results(
    of calls: [String], _ uuid: String, after parent: String, like line: JSONObject
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("parentUuid", parent)
    // These members are copied from the line of the calls.
    let common: [StaticString] = [
      "isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug",
    ]
    for key in common { writer.member(key, line.json(key.description)) }
    writer.fixed("type", "user")
    writer.key("message")
    writer.beginObject()
    writer.fixed("role", "user")
    writer.key("content")
    writer.beginArray()
    for call in calls {
      writer.beginObject()
      writer.fixed("type", "tool_result")
      writer.fixed("tool_use_id", call)
      writer.fixed("content", RescueText.unanswered)
      writer.key("is_error")
      writer.bool(true)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.fixed("uuid", uuid)
    writer.member("timestamp", line.json("timestamp"))
    writer.endObject()
    return writer.bytes
  }

  // MARK: Blocks

  /// The remedy for a fault of one block or one line; nil where there is none.
  private func remedy(
    _ fault: AnthropicRules.Fault, in messages: [SentMessage]
  ) throws -> Remedy? {
    let line = fault.line
    guard let content = conversation.known(line) else { return nil }
    var remedy = Remedy(fault.cause, line, fault.detail)
    guard let block = fault.block else {
      switch fault.cause {
      case .surrogate, .controlCharacter:
        show(fault.cause == .surrogate, in: content, of: line, &remedy)
        return remedy
      default: return nil
      }
    }
    switch fault.cause {
    case .textEmpty: fill(block, in: content, of: line, &remedy)
    case .resultNotFirst: try reorder(content, of: line, &remedy)
    case .idTwice where block.kind != .result:
      rename(block, fault.message, in: messages, of: line, &remedy)
    case .idTwice, .idMissing, .resultWithoutCall, .callUnanswered:
      let text = RescueText.of(block, in: try conversation.lines.bytes(line))
      remedy.replace(block.range, of: line, with: RescueText.block(text), .text, at: block.pointer)
    case .lineUnreadable:
      guard let said = block.content,
        let value = JSONText.value(said, in: try conversation.lines.bytes(line))
      else { return nil }
      remedy.replace(
        said, of: line, with: RescueText.json(value.text), .text, at: "\(block.pointer)/content")
    case .imageType where block.media?.fault == .misnamed && block.media?.typeRange != nil:
      guard let media = block.media, let range = media.typeRange else { return nil }
      remedy.replace(
        range, of: line, with: RescueText.json(media.type.essence), .retype,
        at: "\(block.pointer)/source/media_type")
    case .requestTooLarge where block.media == nil:
      guard let said = block.content,
        let text = JSONText.string(said, in: try conversation.lines.bytes(line))
      else { return nil }
      let cut = RescueText.json(RescueText.cut(text, line: conversation.number(line)))
      remedy.replace(said, of: line, with: cut, .cut, at: block.pointer)
    default:
      guard let media = block.media else { return nil }
      label(block, media, in: content, of: line, &remedy)
    }
    return remedy
  }

  private func label(
    _ block: SentBlock, _ media: SentMedia, in content: SentContent, of line: Int,
    _ remedy: inout Remedy
  ) {
    let index = content.all.filter { $0.media != nil }.firstIndex { $0.range == block.range } ?? 0
    let text = RescueText.label(media, number: numbers[line, index], isKept: options.isKept)
    remedy.replace(block.range, of: line, with: RescueText.block(text), .label, at: block.pointer)
    remedy.label = (line, index, media.digest)
  }

  /// Removes an empty text where there is other content; else the text says that it is empty.
  private func fill(
    _ block: SentBlock, in content: SentContent, of line: Int, _ remedy: inout Remedy
  ) {
    let lists = [content.blocks] + content.blocks.map(\.parts)
    let list = lists.first { $0.contains { $0.range == block.range } } ?? []
    let others = list.contains { !($0.kind == .text && $0.isBlank) && $0.kind != .thinking }
    if others, let index = list.firstIndex(where: { $0.range == block.range }) {
      remove([index], from: list, of: line, .fill, &remedy)
    } else if let text = block.content {
      let empty = RescueText.json(RescueText.empty)
      remedy.replace(text, of: line, with: empty, .fill, at: block.pointer)
    }
  }

  /// Moves the results in a line before its other blocks, which stay unchanged.
  private func reorder(
    _ content: SentContent, of line: Int, _ remedy: inout Remedy
  ) throws {
    let bytes = try conversation.lines.bytes(line)
    let results = content.blocks.filter { $0.kind == .result }
    let others = content.blocks.filter { $0.kind != .result }
    let joined = (results + others).map { bytes[$0.range] }.joined(separator: [UInt8(ascii: ",")])
    remedy.replace(
      content.range, of: line, with: [UInt8(ascii: "[")] + joined + [UInt8(ascii: "]")], .order,
      at: "/message/content")
  }

  /// Gives a call a new id, and gives the same id to the result that answers the call.
  private func rename(
    _ call: SentBlock, _ index: Int, in messages: [SentMessage], of line: Int,
    _ remedy: inout Remedy
  ) {
    guard let old = call.id, let range = call.idRange else { return }
    let used = Set(messages.flatMap(\.blocks).compactMap(\.block.id))
    var number = 2
    while used.contains("\(old)_\(number)") { number += 1 }
    let new = RescueText.json("\(old)_\(number)")
    remedy.replace(range, of: line, with: new, .rename, at: "\(call.pointer)/id")
    // The place of the call among the calls with this id tells which of the results is the call's own.
    let isAnswer: (SentBlock) -> Bool = { block in
      block.id == old && (call.kind == .call ? block.kind == .result : block.kind == .serverResult)
    }
    let calls = messages[index].blocks.filter { $0.block.id == old && $0.block.kind == call.kind }
    let place = calls.firstIndex { $0.line == line && $0.block.range == call.range } ?? 0
    let answering = call.kind == .call ? index + 1 : index
    guard messages.indices.contains(answering) else { return }
    let answers = messages[answering].blocks.filter { isAnswer($0.block) }
    guard answers.indices.contains(place), let answered = answers[place].block.idRange else {
      return
    }
    remedy.replace(
      answered, of: answers[place].line, with: new, .rename,
      at: "\(answers[place].block.pointer)/tool_use_id")
  }

  /// Replaces characters that can't be sent with a text that shows them.
  private func show(
    _ isSurrogate: Bool, in content: SentContent, of line: Int, _ remedy: inout Remedy
  ) {
    for escape in content.unsendable where escape.isSurrogate == isSurrogate {
      let block = content.all.last { $0.range.contains(escape.range.lowerBound) }
      remedy.replace(
        escape.range, of: line, with: escape.shown, .show, at: block?.pointer ?? "/message/content")
    }
  }
}
