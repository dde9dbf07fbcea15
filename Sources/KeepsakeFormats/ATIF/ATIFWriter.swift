#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a session as a trajectory: a step for what is said to the model, and one for each of its answers, with what its
/// tools gave back.
///
/// No more than one answer, or one output, is held in memory. What is known only at the end, the agent and the sums, stands
/// behind the steps.
struct ATIFWriter {
  private let session: Session
  let output: ExportOutput
  /// Which outputs answer which calls, by the outputs' positions.
  private let answers: [Int: Entry.Attachment.CallReference]
  /// The first position that is not shared with the session that this one was forked from.
  let ownPosition: Int
  var losses = Losses()
  private(set) var steps = 0
  private var tools: JSON?
  private var metrics = ATIFMetrics()
  private var phase = Phase.between

  /// Where in a step the writer stands.
  private enum Phase {
    case between
    /// An answer, of which nothing is written because more may follow.
    case answering(ModelAnswer)
    /// A step that is written but for its end, with the ids that its calls have in it.
    case observing([Entry.Attachment.CallReference: String], hasResults: Bool)
  }

  init(_ session: Session, _ output: ExportOutput) async throws {
    self.session = session
    self.output = output
    answers = try await session.answers()
    ownPosition = try await session.summary().forkPosition ?? 0
  }

  mutating func write() async throws -> Losses {
    let summary = try await session.summary()
    let id = session.id.uuidString.lowercased()
    try put(
      #"{"schema_version":"ATIF-v1.8","session_id":"\#(id)","trajectory_id":"\#(id)","steps":["#)
    for try await entry in session.entries { try await take(OutgoingEntry(entry)) }
    try await endStep()
    if steps == 0 { try putEmptyStep() }
    losses.add(.loose, try await session.unboundAttachments().count)
    try put("]," + ending(summary) + "}")
    return losses
  }

  /// What stands behind the steps.
  private func ending(_ summary: Session.Summary) -> String {
    var agent: [(String, JSON)] = [
      // A store knows where a session came from, and not which program in which version it was.
      ("name", .string(summary.origin ?? "unknown")), ("version", "unknown"),
    ]
    if let model = summary.model { agent.append(("model_name", .string(model))) }
    if let tools { agent.append(("tool_definitions", tools)) }
    var about: [(String, JSON)] = []
    if let title = summary.title { about.append(("title", .string(title))) }
    if !summary.tags.isEmpty { about.append(("tags", .array(summary.tags.map(JSON.string)))) }
    if let parent = summary.forkOf, let position = summary.forkPosition {
      about.append(("forkOf", .string(parent.uuidString.lowercased())))
      about.append(("forkPosition", .number(Int64(position))))
    }
    let members: [(String, JSON)] = [
      ("agent", .object(agent)), ("final_metrics", metrics.ofTrajectory(steps: max(1, steps))),
      ("extra", ["keepsake": .object(about)]),
    ]
    return members.map { "\"\($0.0)\":\($0.1.text)" }.joined(separator: ",")
  }

  func put(_ text: String) throws { try output.take(Array(text.utf8)) }

  /// The format has no trajectory without a step.
  private func putEmptyStep() throws {
    try put(
      #"{"step_id":1,"source":"system","message":"","extra":{"keepsake":{"entries":[]}}}"#)
  }
}

// MARK: - Entries

extension ATIFWriter {
  private mutating func take(_ entry: OutgoingEntry) async throws {
    if let omission = Self.omission(entry) { return losses.add(omission) }
    switch entry.entry.kind {
    case .instructions:
      if let tools = entry.entry.toolDefinitions { keep(tools) }
      try await say(entry, as: "system")
    case .prompt: try await say(entry, as: "user")
    case .reasoning, .response, .toolCalls: try await answer(entry)
    case .toolOutput: try await observe(entry)
    case .event, .unknown: losses.add(.foreign)
    }
  }

  /// Why a trajectory has no step for an entry.
  private static func omission(_ entry: OutgoingEntry) -> Losses.Kind? {
    // A tool that failed has answered, and the agent went on from that.
    if entry.entry.kind == .toolOutput, entry.omission == .unfinished,
      entry.entry.status != .superseded
    {
      return nil
    }
    return entry.omission
  }

  private mutating func keep(_ tools: JSON) {
    self.tools = ToolDefinition.functions(tools, &losses) ?? self.tools
  }

  private mutating func say(_ entry: OutgoingEntry, as source: String) async throws {
    try await endStep()
    var writer = try beginStep(source, entry.entry)
    try await writeMessage(entry, to: &writer)
    writer.json.endObject()
    try output.take(writer.json.bytes)
  }

  private mutating func answer(_ entry: OutgoingEntry) async throws {
    if case .answering(var answer) = phase {
      // While the phase holds the answer, too, each addition copies it.
      phase = .between
      let isPart = answer.add(entry)
      phase = .answering(answer)
      if isPart { return }
    }
    try await endStep()
    phase = .answering(ModelAnswer(entry))
  }

  private mutating func observe(_ entry: OutgoingEntry) async throws {
    if case .answering(let answer) = phase { try await begin(answer) }
    let call = entry.entry.position.flatMap { answers[$0] }
    if case .observing(let ids, let hasResults) = phase, let id = call.flatMap({ ids[$0] }) {
      try put(hasResults ? "," : #","observation":{"results":["#)
      phase = .observing(ids, hasResults: true)
      return try await putResult(entry, of: id)
    }
    // Its call is not in this step, and the format knows of no other way to name it.
    losses.add(.withoutCall)
    try await endStep()
    var writer = try beginStep("system", entry.entry)
    writer.member("message", "")
    try output.take(writer.json.bytes)
    try put(#","observation":{"results":["#)
    try await putResult(entry, of: nil)
    try put("]}}")
  }

  /// Writes a step of the agent but for its end.
  private mutating func begin(_ answer: ModelAnswer) async throws {
    var writer = try beginStep("agent", answer.entries[0].entry)
    let ids = try await write(answer, to: &writer)
    try output.take(writer.json.bytes)
    phase = .observing(ids, hasResults: false)
  }

  /// Ends the step that is open, if one is.
  private mutating func endStep() async throws {
    if case .answering(let answer) = phase { try await begin(answer) }
    if case .observing(_, let hasResults) = phase { try put(hasResults ? "]}}" : "}") }
    phase = .between
  }

  /// Begins the object of the next step.
  private mutating func beginStep(_ source: String, _ entry: Entry) throws -> RecordWriter {
    var writer = RecordWriter()
    if steps > 0 { try put(",") }
    steps += 1
    writer.json.beginObject()
    writer.member("step_id", .number(Int64(steps)))
    writer.member("timestamp", entry.created.flatMap(Self.timestamp))
    writer.member("source", source)
    if let position = entry.position, position < ownPosition {
      writer.member("is_copied_context", .bool(true))
    }
    return writer
  }

  /// What ISO 8601 can say in the form that readers take: the years from 1 to 9999.
  private static func timestamp(_ time: Date) -> String? {
    let text = RFC3339.text(time.microseconds)
    return text.utf8.first.map { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") } ?? false
      && !text.hasPrefix("0000") ? text : nil
  }

  mutating func count(_ usage: Usage) { metrics.add(usage) }
}
