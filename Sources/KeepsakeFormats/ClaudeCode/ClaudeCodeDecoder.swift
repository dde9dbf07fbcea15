#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the lines of a Claude Code session.
///
/// Messages, and what the program tells the person, become entries. Lines that the program writes for its own use
/// become none, and are kept verbatim in the source.
struct ClaudeCodeDecoder: LastingDecoder {
  static let format = ClaudeCodeCodec.name
  static let edition = 2

  /// The conversation so far, and the lines that were read. The program writes some lines again, before it compacts a
  /// conversation or when it resumes one.
  private var chain = ClaudeCodeChain()
  /// The number of entries that the lines so far became.
  private var count = 0
  /// The names of tools by the ids of their calls.
  private var tools: [String: String] = [:]
  /// The tokens that each of the model's messages took according to the lines so far, by the message's id.
  private var usages: [String: UsageSum] = [:]
  private var sessionID: String?
  /// The agent's id in the file of a sub-agent; nil in other files. The session id in such a file is the parent's.
  private var ownAgent: String?
  private var titles: [TitleKind: String] = [:]

  /// Who gave a title. A person's title is preferred to a model's, and a model's to that of a summary.
  private enum TitleKind: String, Codable { case person, model, summary }

  /// The types of lines that the program writes for its own use.
  private static let silent: Set<String> = [
    "file-history-snapshot", "queue-operation", "last-prompt", "permission-mode", "mode", "pr-link",
    "frame-link", "relocated", "worktree-state", "atis-latch", "progress", "agent-name",
    "agent-color", "tag", "fork-context-ref", "started", "result", "content-replacement",
    "agent_metadata",
  ]

  var isPlausible: Bool { EntryCount.range.contains(count) && chain.isPlausible }

  var facts: SourceFacts {
    let id = sessionID.map { id in ownAgent.map { "\(id)/agent-\($0)" } ?? id }
    return SourceFacts(id: id, title: titles[.person] ?? titles[.model] ?? titles[.summary])
  }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes) else {
      record.remark("The line is no object; it is kept as it is.")
      return []
    }
    let type = line.string("type") ?? ""
    let uuid = line.string("uuid")
    if let uuid, !chain.insert(uuid) {
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    let said = ClaudeCodePlace.isMessage(type) ? line.object("message") : nil
    var entries = entries(of: line, saying: said, in: &record, at: value)
    let place = ClaudeCodePlace(line, saying: said)
    if let target = chain.add(place, saying: entries, after: count) {
      var event = SourceEntry.goingBack(after: target)
      event.entry.created = line.time("timestamp")
      event.entry.key = uuid.map { "\($0)#back" }
      entries.insert(event, at: 0)
    }
    count += entries.count
    return entries
  }

  private mutating func entries(
    of line: JSONObject, saying said: JSONObject?, in record: inout RecordReader,
    at value: Range<Int>
  ) -> [SourceEntry] {
    let type = line.string("type") ?? ""
    let uuid = line.string("uuid")
    var entries: [SourceEntry]
    switch type {
    case "user", "assistant": entries = message(line, saying: said, uuid: uuid, in: &record)
    case "system": entries = system(line, in: &record)
    case "attachment": entries = attachment(line, in: &record)
    case "summary": return title(line.string("summary"), .summary)
    case "ai-title": return title(line.string("aiTitle") ?? line.string("title"), .model)
    case "custom-title": return title(line.string("customTitle") ?? line.string("title"), .person)
    case _ where Self.silent.contains(type):
      EmbeddedBase64.cut(value, from: &record)
      return []
    default:
      let reason = "Lines of the type '\(type)' are not known here; this one is kept as it is."
      entries = [record.whole(value, type: "line", because: reason)]
    }
    if !record.fits(value) {
      let reason = "The line is too large for an entry; it is kept as it is."
      entries = [record.whole(value, type: "line", because: reason)]
    }
    noteSession(line)
    complete(&entries, with: line, uuid: uuid)
    return entries
  }

  private mutating func title(_ title: String?, _ kind: TitleKind) -> [SourceEntry] {
    if let title, !title.isEmpty { titles[kind] = title }
    return []
  }

  /// Takes the session's id from the first line that has one. Later lines may have been copied from another session.
  private mutating func noteSession(_ line: JSONObject) {
    guard sessionID == nil, let id = line.string("sessionId") else { return }
    sessionID = id
    if line.json("isSidechain")?.boolValue == true { ownAgent = line.string("agentId") }
  }

  /// Puts the members of a line that apply to all of its entries into these entries.
  private func complete(_ entries: inout [SourceEntry], with line: JSONObject, uuid: String?) {
    let created = line.time("timestamp")
    let agent = line.string("agentId")
    let isAside = ownAgent == nil && line.json("isSidechain")?.boolValue == true
    let isHidden = line.json("isMeta")?.boolValue == true
    for index in entries.indices {
      entries[index].entry.created = created
      entries[index].entry.key = uuid.map { index == 0 ? $0 : "\($0)#\(index + 1)" }
      entries[index].entry.author = agent
      if isAside { entries[index].entry.lane = agent.map { "agent-\($0)" } ?? "sidechain" }
      if isHidden { entries[index].entry.visibility = .model }
    }
  }
}

// MARK: - Messages

extension ClaudeCodeDecoder {
  private mutating func message(
    _ line: JSONObject, saying said: JSONObject?, uuid: String?, in record: inout RecordReader
  ) -> [SourceEntry] {
    guard let message = said, let content = message["content"] else {
      record.remark("A message has no content; it is kept as it is.")
      return []
    }
    let role = message.string("role") ?? line.string("type") ?? "user"
    var reader = AnthropicMessage(
      role: role, callPrefix: uuid ?? "call", isScaffolding: Self.isScaffolding)
    reader.read(content, in: &record, &tools)
    var entries = reader.entries
    // The program repeats the images of the message in the result that it shows to a person.
    if let shown = line["toolUseResult"] { EmbeddedBase64.cut(shown, from: &record) }
    if line.json("isCompactSummary")?.boolValue == true {
      for index in entries.indices { entries[index].entry.visibility = .model }
    }
    guard role == "assistant" else { return entries }
    let model = message.string("model").flatMap { $0 == "<synthetic>" ? nil : $0 }
    let hasFailed = line.json("isApiErrorMessage")?.boolValue == true
    for index in entries.indices {
      entries[index].entry.model = model
      if hasFailed { entries[index].entry.status = .failed }
    }
    if let last = entries.indices.last {
      entries[last].entry.usage = added(by: message)
    }
    return entries
  }

  /// Returns the tokens that a line adds to those of its message. Each line of a message repeats the message's sum so
  /// far.
  private mutating func added(by message: JSONObject) -> Usage? {
    guard let report = message.json("usage") else { return nil }
    let usage = Usage(reported: report)
    guard let id = message.string("id") else { return usage }
    defer { usages[id] = UsageSum(usage) }
    guard let before = usages[id] else { return usage }
    var added = usage.minus(before)
    for count in Usage.counts { added[keyPath: count] = added[keyPath: count].map { max(0, $0) } }
    added.source = report
    return added.countsNothing ? nil : added
  }

  /// Returns whether the program, and no person, put a text into a person's message.
  private static func isScaffolding(_ text: String) -> Bool {
    let beginning = text.drop { $0.isWhitespace }
    return scaffolding.contains { beginning.hasPrefix($0) }
  }

  private static let scaffolding = [
    "<system-reminder>", "<command-name>", "<command-message>", "<local-command-stdout>",
    "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>",
    "<task-notification>", "<ide_opened_file>", "<ide_selection>",
    "Caveat: The messages below were generated by the user while running local commands",
  ]
}

// MARK: - Other lines

extension ClaudeCodeDecoder {
  /// Reads a line that the program shows to the person.
  private func system(_ line: JSONObject, in record: inout RecordReader) -> [SourceEntry] {
    let text = line["content"].flatMap { record.text($0) } ?? ""
    let isBoundary = line.string("subtype") == "compact_boundary"
    guard isBoundary || !text.isEmpty else { return [] }
    var entry = Entry(
      .event, segments: [.text(text.isEmpty ? "Conversation compacted" : text)], created: nil)
    entry.visibility = .person
    entry.tags = line.string("subtype").map { $0.isEmpty ? [] : [$0] } ?? []
    return [record.finish(entry)]
  }

  /// Reads the line of a file that a person mentioned, as the program gives the file to the model.
  private func attachment(_ line: JSONObject, in record: inout RecordReader) -> [SourceEntry] {
    guard let attachment = line.object("attachment"), attachment.string("type") == "file",
      let content = attachment.object("content"), let file = content.object("file")
    else {
      if let attachment = line["attachment"] { EmbeddedBase64.cut(attachment, from: &record) }
      return []
    }
    let name = attachment.string("filename")
    var entry = Entry(.prompt, created: nil)
    entry.visibility = .model
    if content.string("type") == "image", let data = file["base64"], file.kind("base64") == .string,
      let image = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1),
        mediaType: file.string("type").map { MediaType($0) }, label: nil,
        fileName: name.map { String($0.split(separator: "/").last ?? "") }, madeBy: .user)
    {
      entry.segments = [.init(image)]
    } else if let text = file["content"].flatMap({ record.text($0) }) {
      entry.segments = [.text(name.map { "\($0)\n\(text)" } ?? text)]
    } else {
      if let whole = line["attachment"] { EmbeddedBase64.cut(whole, from: &record) }
      return []
    }
    return [record.finish(entry)]
  }
}
