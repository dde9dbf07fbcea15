import KeepsakeFiles
import Keepsake

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Heals a rollout of Codex with the smallest changes that make it possible to continue the session.
///
/// The model is given the items of the last compaction and those after it. Only these items are healed, and what
/// Codex needs to find and read the file.
struct CodexRescue: RescuedConversation {
  static let format = CodexCodec.name
  static let program = "Codex"
  static let usualLimits = RescueLimits.codex

  var report: RescueReport
  private var conversation: CodexConversation
  private let options: RescueOptions
  private let rules: CodexRules
  private let name: String
  private var numbers = MediaNumbers()
  private let folder: String?

  init(_ file: ForeignFile, options: RescueOptions, limits: RescueLimits) throws {
    self.options = options
    rules = CodexRules(limits: limits)
    name = file.lastName
    conversation = try CodexConversation(file)
    let facts = conversation.facts.compactMap { $0 }
    guard facts.contains(where: { $0.type == "response_item" || $0.type == "compacted" }) else {
      throw FormatError(
        .unsupported,
        "Can't rescue '\(file.name)': it has no item that a conversation could go on from.",
        file: file.name)
    }
    folder = facts.last { $0.cwd != nil }?.cwd
    report = RescueReport(
      program: Self.program, sessionID: facts.first { $0.id != nil }?.id, title: nil,
      folder: options.folder ?? folder, version: facts.first { $0.version != nil }?.version,
      heals: { _ in nil })
    for item in try conversation.sent() {
      for _ in item.images { numbers.add(isImage: true, line: item.line) }
    }
    try heal()
  }

  func number(_ line: Int) -> Int { conversation.number(line) }

  var padded: [Int] { conversation.lines.padded }

  mutating func change(_ round: RemedyRound) throws {
    numbers.remove(in: round)
    try conversation.change(round)
  }

  mutating func faults() throws -> [RescueReport.Finding] {
    let items = try conversation.sent()
    var faults = rules.faults(in: items).map { fault in
      RescueReport.Finding(
        cause: fault.cause, line: number(items[fault.item].line), detail: fault.detail)
    }
    if header == nil {
      faults.append(
        .init(
          cause: .headerMissing, line: 1,
          detail: "Neither the file nor its name says all that a header needs; --folder may."))
    }
    return faults
  }

  mutating func extent() throws -> RescueReport.Extent {
    let items = try conversation.sent()
    var extent = RescueReport.Extent()
    extent.lines = conversation.lines.order.count
    extent.sent = Set(items.map(\.line)).count
    extent.images = items.reduce(0) { $0 + $1.images.count }
    extent.bytes = items.reduce(0) { $0 + $1.range.count }
    return extent
  }

  func complaint() -> (line: Int, text: String)? {
    let facts = conversation.facts
    let last = conversation.lines.order.last {
      facts[$0].map { $0.isAnswer || $0.complaint != nil } ?? false
    }
    return last.flatMap { line in facts[line]?.complaint.map { (line, $0) } }
  }

  /// The line of the file's own header. A second header belongs to the session that this one was forked from.
  private var header: Int? {
    conversation.lines.order.first.flatMap { conversation.facts[$0]?.isHeader ?? false ? $0 : nil }
  }
}

// MARK: - What heals

extension CodexRescue {
  mutating func remedies() throws -> [Remedy] {
    let items = try conversation.sent()
    for find in [lines, head, place, order] {
      let found = find()
      if !found.isEmpty { return found }
    }
    let refused = thinking(in: items)
    if !refused.isEmpty { return refused }
    for find in [rules.images, rules.pairing, rules.reasoning, rules.size] {
      let found = try find(items).compactMap { try remedy($0, in: items) }
      if !found.isEmpty { return found }
    }
    return []
  }

  private func lines() -> [Remedy] {
    conversation.lines.order.compactMap { line in
      if conversation.facts[line] != nil { return nil }
      var remedy = Remedy(.lineDamaged, line, "It is no line of a rollout.")
      remedy.leavesOut = [(line, .leaveOut)]
      return remedy
    }
  }

  /// Adds a header where the file has none that Codex accepts.
  private func head() -> [Remedy] {
    guard header == nil, let made = newHeader() else { return [] }
    var remedy = Remedy(
      .headerMissing, HeldLines.beginning, "The first line does not say which session it is.")
    remedy.addition = (made, "", HeldLines.beginning)
    remedy.adds = .head
    if let first = conversation.lines.order.first,
      conversation.facts[first]?.type == "session_meta"
    {
      remedy.leavesOut = [(first, .leaveOut)]
    }
    return [remedy]
  }

  private func newHeader() -> [UInt8]? {
    let facts = conversation.facts.compactMap { $0 }
    let id = report.sessionID ?? id(inFileName: name)?.text
    guard let id, let time = facts.lazy.compactMap(\.timestamp).first,
      let folder = options.folder ?? facts.lazy.compactMap(\.cwd).first
    else { return nil }
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("timestamp", time)
    writer.fixed("type", "session_meta")
    writer.key("payload")
    writer.beginObject()
    writer.fixed("id", id)
    writer.fixed("timestamp", time)
    writer.fixed("cwd", folder)
    writer.fixed("originator", "keepsake")
    writer.fixed("cli_version", facts.lazy.compactMap(\.version).first ?? "0.0.0")
    writer.fixed("source", "cli")
    writer.fixed("model_provider", "openai")
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// Changes the folder in all lines, where the person says that it has moved.
  private func place() -> [Remedy] {
    guard let new = options.folder, let old = folder, new != old else { return [] }
    var remedy: Remedy?
    for line in conversation.lines.order {
      guard let fact = conversation.facts[line], let cwd = fact.cwd, let range = fact.cwdRange,
        ["session_meta", "turn_context"].contains(fact.type), cwd == old || cwd.hasPrefix("\(old)/")
      else { continue }
      if remedy == nil { remedy = Remedy(.folderMoved, line, "It was '\(old)'.") }
      let moved = RescueText.json(new + cwd.dropFirst(old.count))
      remedy?.replace(range, of: line, with: moved, .move, at: "/payload/cwd")
    }
    return remedy.map { [$0] } ?? []
  }

  /// Numbers the lines from 0 on without gaps, in a file whose lines are numbered.
  private func order() -> [Remedy] {
    let facts = conversation.facts
    guard let header, facts[header]?.isNumbered ?? false else { return [] }
    var remedy: Remedy?
    for (number, line) in conversation.lines.order.enumerated() {
      guard let fact = facts[line], fact.ordinal != number else { continue }
      if remedy == nil {
        let found = fact.ordinal.map { "Its number is \($0)" } ?? "It has no number"
        remedy = Remedy(.ordinalBroken, line, "\(found), not \(number).")
      }
      let text = Array("\(number)".utf8)
      if let range = fact.ordinalRange {
        remedy?.replace(range, of: line, with: text, .number, at: "/ordinal")
      } else {
        let member = Array("\"ordinal\":".utf8) + text + [UInt8(ascii: ",")]
        remedy?.replace(1..<1, of: line, with: member, .number, at: "/ordinal")
      }
    }
    return remedy.map { [$0] } ?? []
  }

  /// Removes encrypted content that the service refused in the last request, or all of it where the person asks for
  /// that.
  private func thinking(in items: [CodexItem]) -> [Remedy] {
    let said = complaint()?.text.lowercased() ?? ""
    let isRefused = said.contains("encrypted")
    guard options.stripsThinking || isRefused else { return [] }
    let detail =
      isRefused ? "The last request failed over it." : "It is asked for that all of it goes."
    return items.compactMap { item in
      guard let range = item.encrypted else { return nil }
      var remedy = Remedy(.thinkingRefused, item.line, detail)
      if item.kind == .reasoning {
        // The readable summary of the reasoning stays.
        remedy.replace(
          range, of: item.line, with: Array("null".utf8), .strip,
          at: "\(item.pointer)/encrypted_content")
      } else {
        leaveOut(item, among: items, .strip, &remedy)
      }
      return remedy
    }
  }

  private func remedy(_ fault: CodexRules.Fault, in items: [CodexItem]) throws -> Remedy? {
    let item = items[fault.item]
    var remedy = Remedy(fault.cause, item.line, fault.detail)
    if let number = fault.image {
      let image = item.images[number]
      let before = items.prefix(fault.item).filter { $0.line == item.line }
        .reduce(0) { $0 + $1.images.count }
      let index = before + number
      let label = RescueText.label(
        image.media, number: numbers[item.line, index], isKept: options.isKept)
      remedy.replace(
        image.range, of: item.line, with: RescueText.block(label, type: "input_text"), .label,
        at: image.pointer)
      remedy.label = (item.line, index, image.media.digest)
      return remedy
    }
    switch fault.cause {
    case .callUnanswered: try answer(item, &remedy)
    case .resultWithoutCall, .thinkingLast: leaveOut(item, among: items, .leaveOut, &remedy)
    case .requestTooLarge:
      guard let range = item.text,
        let text = JSONText.string(range, in: try conversation.lines.bytes(item.line))
      else { return nil }
      let cut = RescueText.json(RescueText.cut(text, line: conversation.number(item.line)))
      remedy.replace(range, of: item.line, with: cut, .cut, at: "\(item.pointer)/output")
    default: return nil
    }
    return remedy
  }

  /// Adds an output directly after its call.
  private func answer(_ item: CodexItem, _ remedy: inout Remedy) throws {
    guard let call = item.call else { return }
    var output = JSONWriter()
    output.beginObject()
    output.fixed(
      "type", item.type == "custom_tool_call" ? "custom_tool_call_output" : "function_call_output")
    output.fixed("call_id", call)
    output.fixed("output", RescueText.unanswered)
    output.endObject()
    guard item.index == nil else {
      let end = item.range.upperBound
      remedy.replace(
        end..<end, of: item.line, with: [UInt8(ascii: ",")] + output.bytes, .answer,
        at: item.pointer)
      return
    }
    var line = try conversation.lines.bytes(item.line)
    // The added line is a copy of the call's line with the output in place of the call.
    line.replaceSubrange(item.range, with: output.bytes)
    remedy.addition = (line, call, item.line)
  }

  /// Removes an item: its line, or its place in the list of its line.
  private func leaveOut(
    _ item: CodexItem, among items: [CodexItem], _ edit: RescueEdit, _ remedy: inout Remedy
  ) {
    guard let index = item.index else {
      remedy.leavesOut = [(item.line, edit)]
      return
    }
    let list = items.filter { $0.line == item.line }
    let place = list.firstIndex { $0.index == index } ?? 0
    let range =
      if place + 1 < list.count {
        item.range.lowerBound..<list[place + 1].range.lowerBound
      } else if place > 0 {
        list[place - 1].range.upperBound..<item.range.upperBound
      } else {
        item.range
      }
    remedy.replace(range, of: item.line, with: [], edit, at: item.pointer)
  }
}

// MARK: - The new file

extension CodexRescue {
  func fileName(_ id: UUID, at time: Date) -> String {
    Self.fileName(id.text, at: time)
  }

  static func fileName(_ id: String, at time: Date) -> String {
    "rollout-\(localTime(time))-\(id).jsonl"
  }

  /// The local time as Codex writes it in file names.
  private static func localTime(_ time: Date) -> String {
    let ahead = LocalClock.secondsAhead(at: Int64(time.timeIntervalSince1970))
    let text = time.addingTimeInterval(Double(ahead)).formatted(.iso8601)
    return text.replacing(":", with: "-").replacing("Z", with: "")
  }

  func id(inFileName name: String) -> UUID? {
    guard name.hasPrefix("rollout-"), name.hasSuffix(".jsonl") else { return nil }
    return UUID(uuidString: String(name.dropLast(6).suffix(36)))
  }

  func resuming(_ id: UUID) -> String { "codex resume \(id.text)" }

  func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws {
    for line in conversation.lines.order {
      var bytes = try conversation.lines.bytes(line)
      if line == header, let fact = conversation.facts[line] {
        var patch = LinePatch()
        for range in fact.idRanges {
          patch.replace(range, with: RescueText.json(id.text))
        }
        bytes = patch.applied(to: bytes)
      }
      try put(bytes + [0x0A])
    }
  }
}
