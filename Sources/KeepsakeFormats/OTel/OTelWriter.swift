#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a session as one trace: a span for the session, in it a span for each answer, and in that one for each
/// call.
///
/// The span of an answer holds only the messages since the answer before, so that a trace does not repeat the
/// conversation in each span. No more than one answer, or one page of entries, is held in memory.
struct OTelWriter {
  private static let page = 64

  let session: Session
  private let trace: String
  let root: String
  private let output: ExportOutput
  var messages: OTelMessages
  var losses = Losses()
  /// The calls that outputs answer, by the position of the output.
  let answers: [Int: Entry.Attachment.CallReference]
  let answered: Set<Entry.Attachment.CallReference>
  let runs: CallRuns
  /// The answer to which further entries may still be added.
  private var answer: ModelAnswer?
  /// The positions of the entries that no answer's span holds yet.
  private var pending = 0..<0
  /// The descriptions of tools that no span holds yet.
  private var tools: JSON?
  /// The calls of the newest answer, and earlier calls without an output yet.
  var calls: [Entry.Attachment.CallReference: AskedCall] = [:]
  var newest: [Entry.Attachment.CallReference] = []
  var latest: OTelTime
  private var whole: OTelTime?
  private var isFirst = true

  init(
    _ session: Session, _ artifacts: ExportOptions.Artifacts, _ output: ExportOutput
  ) async throws {
    self.session = session
    self.output = output
    trace = String(session.id.text.filter { $0 != "-" })
    root = OTelSpan.id("session", session.id.uuidString)
    messages = OTelMessages(
      hasBytes: artifacts == .inline, place: artifacts == .files ? output.place : nil)
    answers = try await session.answers()
    answered = Set(answers.values)
    runs = try await CallRuns(of: session)
    latest = OTelTime(try await session.summary().created, .session)
  }

  mutating func write() async throws -> Losses {
    let summary = try await session.summary()
    try put(
      #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"keepsake"}}]},"#
        + #""scopeSpans":[{"scope":{"name":"keepsake"},"spans":["#)
    for try await entry in session.entries { try await take(OutgoingEntry(entry)) }
    try await endAnswer()
    try await writeRoot(summary)
    try put("]}]}]}")
    losses.add(messages.losses)
    losses.add(.loose, try await session.unboundAttachments().count)
    return losses
  }

  private func put(_ text: String) throws { try output.take(Array(text.utf8)) }
}

// MARK: - Entries

extension OTelWriter {
  private mutating func take(_ entry: OutgoingEntry) async throws {
    if let omission = Self.omission(entry) { return losses.add(omission) }
    if ModelAnswer.holds(entry.entry) {
      if answer.add(entry) { return note(entry.entry) }
      try await endAnswer()
      answer = ModelAnswer(entry)
    } else {
      try await endAnswer()
      let position = entry.entry.position ?? 0
      if pending.isEmpty { pending = position..<position }
      pending = pending.lowerBound..<(position + 1)
      if let tools = entry.entry.toolDefinitions { keep(tools) }
      if entry.entry.kind == .toolOutput { try await writeRun(of: entry) }
    }
    note(entry.entry)
  }

  /// The reason why no span holds an entry; nil where one does. Failed entries are part of a trace.
  private static func omission(_ entry: OutgoingEntry) -> Losses.Kind? {
    if let omission = entry.omission, omission != .unfinished { return omission }
    return entry.entry.kind == .unknown ? .foreign : nil
  }

  /// Notes an entry's time as the newest known one.
  private mutating func note(_ entry: Entry) {
    if let time = entry.created { latest = OTelTime(time, .position) }
  }

  private mutating func keep(_ tools: JSON) {
    let framed = ToolDefinition.framed(
      tools, isOwn: { $0["type"] != nil && $0["name"] != nil }, &losses, { $0.item })
    self.tools = framed ?? self.tools
  }
}

// MARK: - Spans

extension OTelWriter {
  mutating func span(
    _ name: String, _ kind: OTelSpan.Kind, id: String, in parent: String?, from time: OTelTime,
    failed detail: String?
  ) throws -> OTelSpan {
    if !isFirst { try put(",") }
    isFirst = false
    if whole == nil { whole = OTelTime(around: time) } else { whole?.add(time) }
    return try OTelSpan(
      name, kind, id: id, in: parent, of: trace, from: time, failed: detail, output.take)
  }

  /// Writes the span of the open answer, if there is one.
  private mutating func endAnswer() async throws {
    guard let answer else { return }
    self.answer = nil
    let entries = answer.entries.map(\.entry)
    let id = OTelSpan.id("answer", session.id.uuidString, entries[0].id.uuidString)
    let failed = entries.contains { $0.status == .failed } ? "" : nil
    let name = answer.model.map { "chat \($0)" } ?? "chat"
    let time = OTelTime(entries.map(\.created), .entries) ?? latest
    let span = try span(name, .client, id: id, in: root, from: time, failed: failed)
    let reason = Self.finishReason(entries)
    try span.add("gen_ai.operation.name", "chat")
    try span.add("gen_ai.conversation.id", session.id.text)
    try span.add("gen_ai.response.model", answer.model)
    try span.add("gen_ai.response.finish_reasons", [reason])
    try add(entries.compactMap(\.usage), to: span)
    try await addPending(to: span)
    try span.begin("gen_ai.output.messages")
    try span.put("[")
    try await span.put(messages.message(answer, finish: reason))
    try span.put("]")
    try span.end()
    try await addLoose(answer.entries, to: span)
    try span.finish()
    try await note(answer, span: id)
  }

  private static func finishReason(_ entries: [Entry]) -> String {
    if let unfinished = entries.first(where: { $0.status != .complete }) {
      return unfinished.status == .failed ? "error" : unfinished.status.rawValue
    }
    return entries.contains { !$0.toolCalls.isEmpty } ? "tool_call" : "stop"
  }

  private func add(_ usages: [Usage], to span: OTelSpan) throws {
    func add(_ key: String, _ path: KeyPath<Usage, Int?>, _ total: KeyPath<Usage.Total, Int>) throws
    {
      guard usages.contains(where: { $0[keyPath: path] != nil }) else { return }
      var sum = Usage.Total()
      for usage in usages { sum.add(usage) }
      try span.add(key, sum[keyPath: total])
    }
    try add("gen_ai.usage.input_tokens", \.input, \.input)
    try add("gen_ai.usage.output_tokens", \.output, \.output)
    try add("gen_ai.usage.cache_read.input_tokens", \.cachedInput, \.cachedInput)
    try add("gen_ai.usage.reasoning.output_tokens", \.reasoning, \.reasoning)
    var total = Usage.Total()
    for usage in usages { total.add(usage) }
    for cost in total.costs {
      try span.add("keepsake.cost.\(cost.currency)", cost.json["amount"]?.text)
    }
  }

  /// Adds the messages since the previous answer. They are read again, so that they need not be kept in memory.
  private mutating func addPending(to span: OTelSpan) async throws {
    if let tools {
      try span.add("gen_ai.tool.definitions", tools.text)
      self.tools = nil
    }
    var isFirst = true
    var next = pending.lowerBound
    while next < pending.upperBound {
      // A page may be much longer than the messages that are new, so no more entries than needed are read.
      let entries = try await session.entries(
        after: next - 1, count: min(Self.page, pending.upperBound - next))
      if entries.isEmpty { break }
      next += entries.count
      for entry in entries.map({ OutgoingEntry($0) })
      where Self.omission(entry) == nil && !ModelAnswer.holds(entry.entry) {
        if isFirst { try span.begin("gen_ai.input.messages") }
        try span.put(isFirst ? "[" : ",")
        isFirst = false
        try await span.put(messages.message(entry))
      }
    }
    pending = 0..<0
    if isFirst { return }
    try span.put("]")
    try span.end()
  }

  mutating func addLoose(_ entries: [OutgoingEntry], to span: OTelSpan) async throws {
    guard let attachments = try await messages.loose(entries) else { return }
    try span.begin("keepsake.attachments")
    try await span.put(attachments)
    try span.end()
  }

  /// Writes the span of the whole session, with the messages that no model answered.
  private mutating func writeRoot(_ summary: Session.Summary) async throws {
    let time = whole ?? latest
    let span = try span(
      "invoke_agent", .internal, id: root, in: nil, from: time, failed: nil)
    try span.add("gen_ai.operation.name", "invoke_agent")
    try span.add("gen_ai.conversation.id", session.id.text)
    try span.add("keepsake.title", summary.title)
    try span.add("keepsake.origin", summary.origin)
    try span.add("keepsake.tags", summary.tags)
    try span.add("keepsake.fork.of", summary.forkOf?.text)
    try span.add("keepsake.fork.position", summary.forkPosition)
    try await addPending(to: span)
    try span.finish()
  }
}
