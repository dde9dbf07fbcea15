import KeepsakeFiles
import Keepsake

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Heals a session of Claude Code with the smallest changes that make it possible to continue the session.
///
/// It looks for faults, applies remedies, and looks again, until no fault is left that it can heal. Only lines that
/// are sent are healed: abandoned branches do no harm.
struct ClaudeCodeRescue: RescuedConversation {
  static let format = ClaudeCodeCodec.name
  static let program = "Claude Code"
  static let usualLimits = RescueLimits()

  var report: RescueReport
  private(set) var conversation: ClaudeCodeConversation
  let options: RescueOptions
  let rules: AnthropicRules
  /// The folder of the last line that names one.
  let folder: String?
  private(set) var numbers = MediaNumbers()

  init(_ file: ForeignFile, options: RescueOptions, limits: RescueLimits) throws {
    self.options = options
    rules = AnthropicRules(limits: limits)
    conversation = try ClaudeCodeConversation(file)
    let path = conversation.path.lines
    guard !path.isEmpty else {
      throw FormatError(
        .unsupported,
        "Can't rescue '\(file.name)': it has no line that a conversation could go on from. The file of a sub-agent is never gone on with; rescue the session that it belongs to.",
        file: file.name)
    }
    let facts = conversation.facts
    folder = path.reversed().lazy.compactMap { facts[$0]?.cwd }.first
    let title = facts.compactMap { $0?.title }.reduce(nil as (text: String, rank: Int)?) {
      $1.rank >= $0?.rank ?? 0 ? $1 : $0
    }
    report = RescueReport(
      program: Self.program, sessionID: facts.lazy.compactMap { $0?.session }.first,
      title: title?.text, folder: folder,
      version: path.reversed().lazy.compactMap { facts[$0]?.version }.first,
      heals: \.healedByClaudeCode)
    for (line, _, media) in try conversation.messages().flatMap(\.media) {
      numbers.add(isImage: media.isImage, line: line)
    }
    try heal()
  }

  func number(_ line: Int) -> Int { conversation.number(line) }

  var padded: [Int] { conversation.lines.padded }

  mutating func remedies() throws -> [Remedy] {
    // Reading the messages also reads the lines' contents, which the remedies need.
    let messages = try conversation.messages()
    return try remedies(in: messages)
  }

  mutating func faults() throws -> [RescueReport.Finding] {
    rules.faults(in: try conversation.messages()).map { fault in
      .init(cause: fault.cause, line: number(fault.line), detail: fault.detail)
    }
  }

  mutating func extent() throws -> RescueReport.Extent {
    var extent = RescueReport.Extent()
    extent.lines = conversation.lines.order.count
    extent.sent = try conversation.sent().count
    for message in try conversation.messages() {
      extent.bytes += message.bytes
      extent.images += message.media.count { $0.media.isImage }
    }
    return extent
  }

  func complaint() -> (line: Int, text: String)? {
    let facts = conversation.facts
    let last = conversation.path.lines.last { facts[$0]?.type == "assistant" }
    return last.flatMap { line in facts[line]?.complaint.map { (line, $0) } }
  }
}

// MARK: - Changes

extension ClaudeCodeRescue {
  mutating func change(_ round: RemedyRound) throws {
    var round = round
    numbers.remove(in: round)
    relink(behindThoseGoneIn: &round)
    for (_, uuid, line) in round.additions {
      relink(behindAdded: uuid, after: line, &round.patches)
    }
    try conversation.change(
      round.patches, leavingOut: round.gone, adding: round.additions.map { ($0.bytes, $0.after) })
  }

  /// Links the lines that followed a removed line to the nearest earlier line that stays.
  private mutating func relink(behindThoseGoneIn round: inout RemedyRound) {
    let facts = conversation.facts
    let gone = round.gone
    var lost: [String: String?] = [:]
    for line in gone {
      if let fact = facts[line], let uuid = fact.uuid { lost[uuid] = fact.parent }
    }
    if lost.isEmpty { return }
    var causes: [String: RescueCause] = [:]
    for remedy in round.accepted {
      for (line, _) in remedy.leavesOut { causes[facts[line]?.uuid ?? ""] = remedy.cause }
    }
    for line in conversation.lines.order where !gone.contains(line) {
      guard let parent = facts[line]?.parent, lost[parent] != nil else { continue }
      var next: String? = parent
      var passed: Set<String> = []
      while let uuid = next, let before = lost[uuid], passed.insert(uuid).inserted { next = before }
      relink(line, to: next, because: causes[parent] ?? .chainBroken, &round.patches)
    }
  }

  /// Links the next line of the path to the line that was added before it.
  private mutating func relink(
    behindAdded uuid: String, after line: Int, _ patches: inout [Int: LinePatch]
  ) {
    let path = conversation.path.lines
    guard let place = path.firstIndex(of: line), place + 1 < path.count else { return }
    relink(path[place + 1], to: uuid, because: .callUnanswered, &patches)
  }

  private mutating func relink(
    _ line: Int, to uuid: String?, because cause: RescueCause, _ patches: inout [Int: LinePatch]
  ) {
    let (range, bytes) = link(line, to: uuid)
    guard patches[line]?.isFree(range) ?? true else { return }
    patches[line, default: LinePatch()].replace(range, with: bytes)
    report.changes.append(
      .init(
        edit: .relink, cause: cause, line: conversation.number(line), pointer: "/parentUuid"))
  }

  /// The range of a line that names its parent, and the bytes that name another one.
  func link(_ line: Int, to uuid: String?) -> (Range<Int>, [UInt8]) {
    let value = uuid.map(RescueText.json) ?? Array("null".utf8)
    if let range = conversation.facts[line]?.parentRange { return (range, value) }
    return (1..<1, Array("\"parentUuid\":".utf8) + value + [UInt8(ascii: ",")])
  }
}

// MARK: - The new file

extension ClaudeCodeRescue {
  func fileName(_ id: UUID, at time: Date) -> String { "\(id.text).jsonl" }

  func id(inFileName name: String) -> UUID? {
    guard name.hasSuffix(".jsonl"), let id = UUID(uuidString: String(name.dropLast(6))),
      name == fileName(id, at: Date())
    else { return nil }
    return id
  }

  func resuming(_ id: UUID) -> String {
    "claude --resume \(id.text)"
  }

  func sideFolder(of path: String) -> String? {
    path.hasSuffix(".jsonl") ? String(path.dropLast(6)) : nil
  }

  func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws {
    let id = id.text
    for line in conversation.lines.order {
      var bytes = try conversation.lines.bytes(line)
      if let range = conversation.facts[line]?.sessionRange {
        var patch = LinePatch()
        patch.replace(range, with: RescueText.json(id))
        bytes = patch.applied(to: bytes)
      }
      try put(bytes + [0x0A])
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("type", "custom-title")
    writer.fixed("customTitle", "\(report.title ?? "Conversation") (rescued)")
    writer.fixed("sessionId", id)
    writer.endObject()
    try put(writer.bytes + [0x0A])
  }
}
