#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a session as a trajectory: a step for each message to the model, and one for each answer with its outputs.
///
/// No more than one answer, or one output, is held in memory. The agent and the sums are known only at the end, so
/// they stand after the steps.
struct ATIFWriter {
  private let session: Session
  let output: ExportOutput
  /// The calls that outputs answer, by the position of the output.
  private let answers: [Int: Entry.Attachment.CallReference]
  /// The first position that the session does not share with the session it was forked from.
  let ownPosition: Int
  var losses = Losses()
  private(set) var steps = 0
  private var tools: JSON?
  private var metrics = ATIFMetrics()
  private var phase = Phase.between

  /// The state of the step that is being written.
  private enum Phase {
    /// No step is open.
    case between
    /// An answer is being gathered. Nothing of it is written, because more entries may belong to it.
    case answering(ModelAnswer)
    /// A step is written except for its end. The ids are those that the step's calls have in it.
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
    let id = session.id.text
    try put(
      #"{"schema_version":"ATIF-v1.8","session_id":"\#(id)","trajectory_id":"\#(id)","steps":["#)
    for try await entry in session.entries { try await take(OutgoingEntry(entry)) }
    try await endStep()
    if steps == 0 { try putEmptyStep() }
    losses.add(.loose, try await session.unboundAttachments().count)
    try put("]," + ending(summary) + "}")
    return losses
  }

  /// The members that stand after the steps.
  private func ending(_ summary: Session.Summary) -> String {
    var agent: [(String, JSON)] = [
      // A store knows the origin of a session, and not the version of the program.
      ("name", .string(summary.origin ?? "unknown")), ("version", "unknown"),
    ]
    if let model = summary.model { agent.append(("model_name", .string(model))) }
    if let tools { agent.append(("tool_definitions", tools)) }
    var about: [(String, JSON)] = []
    if let title = summary.title { about.append(("title", .string(title))) }
    if !summary.tags.isEmpty { about.append(("tags", .array(summary.tags.map(JSON.string)))) }
    if let parent = summary.forkOf, let position = summary.forkPosition {
      about.append(("forkOf", .string(parent.text)))
      about.append(("forkPosition", .number(Int64(position))))
    }
    let members: [(String, JSON)] = [
      ("agent", .object(agent)), ("final_metrics", metrics.ofTrajectory(steps: max(1, steps))),
      ("extra", ["keepsake": .object(about)]),
    ]
    return members.map { "\"\($0.0)\":\($0.1.text)" }.joined(separator: ",")
  }

  func put(_ text: String) throws { try output.take(Array(text.utf8)) }

  /// Writes one empty step, because the format forbids a trajectory without steps.
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

  /// The reason why a trajectory has no step for an entry; nil where it has one.
  private static func omission(_ entry: OutgoingEntry) -> Losses.Kind? {
    // The output of a tool that failed is kept, because the agent went on from it.
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
      // The phase must not hold the answer as well, or each addition would copy it.
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
    // The output's call is not in this step, and the format cannot name a call of another step.
    losses.add(.withoutCall)
    try await endStep()
    var writer = try beginStep("system", entry.entry)
    writer.member("message", "")
    try output.take(writer.json.bytes)
    try put(#","observation":{"results":["#)
    try await putResult(entry, of: nil)
    try put("]}}")
  }

  /// Writes a step of the agent except for its end.
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

  /// The time in ISO 8601; nil outside the years 1 to 9999, for which readers don't accept the text.
  private static func timestamp(_ time: Date) -> String? {
    let text = RFC3339.text(time.microseconds)
    return text.utf8.first.map { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") } ?? false
      && !text.hasPrefix("0000") ? text : nil
  }

  mutating func count(_ usage: Usage) { metrics.add(usage) }
}
