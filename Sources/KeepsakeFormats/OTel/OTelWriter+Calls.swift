#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension OTelWriter {
  /// A call whose output may still come.
  struct AskedCall {
    let span: String
    let time: Date?
    /// The arguments; nil once a further answer was read, because a later span of the same call need not repeat them.
    var arguments: String?
    var isAnswered = false
  }

  /// Remembers the calls of an answer, and writes the spans of runs whose calls have no output.
  mutating func note(_ answer: ModelAnswer, span: String) async throws {
    for call in newest {
      calls[call]?.arguments = nil
      if calls[call]?.isAnswered == true { calls[call] = nil }
    }
    newest = []
    let times = Dictionary(
      answer.entries.map { ($0.entry.position ?? 0, $0.entry.created) }, uniquingKeysWith: { $1 })
    for (place, call) in answer.calls {
      newest.append(place)
      calls[place] = AskedCall(
        span: span, time: times[place.position] ?? nil, arguments: call.arguments)
      if !answered.contains(place), let run = runs[place] {
        try await writeRun(of: call.tool, call.id, place, run, nil)
      }
    }
  }

  /// Writes the span of the run that produced an output.
  mutating func writeRun(of entry: OutgoingEntry) async throws {
    let place = entry.entry.position.flatMap { answers[$0] }
    if place == nil { losses.add(.withoutCall) }
    try await writeRun(
      of: entry.entry.tool, entry.entry.callID, place, place.flatMap { runs[$0] }, entry)
    if let place { calls[place]?.isAnswered = true }
  }

  private mutating func writeRun(
    of tool: String?, _ callID: String?, _ place: Entry.Attachment.CallReference?,
    _ run: Invocation?, _ output: OutgoingEntry?
  ) async throws {
    let call = place.flatMap { calls[$0] }
    let place = place.map { "\($0.position).\($0.ordinal)" } ?? ""
    let id = OTelSpan.id(
      "run", session.id.uuidString, place, output?.entry.id.uuidString ?? "none")
    let time =
      run.flatMap { OTelTime([$0.started, $0.ended], .run) }
      ?? OTelTime([call?.time, output?.entry.created], .entries) ?? latest
    let hasFailed = run?.outcome == .failed || output?.entry.status == .failed
    let span = try span(
      "execute_tool \(tool ?? "unknown")", .internal, id: id, in: call?.span ?? root, from: time,
      failed: hasFailed ? run?.detail ?? "" : nil)
    try span.add("gen_ai.operation.name", "execute_tool")
    try span.add("gen_ai.conversation.id", session.id.text)
    try span.add("gen_ai.tool.name", tool ?? "unknown")
    try span.add("gen_ai.tool.call.id", callID)
    try span.add("gen_ai.tool.call.arguments", call?.arguments)
    try span.add("keepsake.run", run?.id.text)
    try span.add("keepsake.run.outcome", run?.outcome?.rawValue)
    try span.add("keepsake.run.basis", run?.basis?.rawValue)
    if let output {
      try await addResult(output, to: span)
      try await addLoose([output], to: span)
    }
    try span.finish()
  }

  /// Adds the tool's output without bytes, which the message to the model already holds.
  private func addResult(_ entry: OutgoingEntry, to span: OTelSpan) async throws {
    var bare = OTelMessages(hasBytes: false, place: messages.place)
    let entry = messages.place == nil ? entry.withoutBytes : entry
    if entry.entry.segments.count == 1, let text = entry.entry.segments[0].text {
      return try span.add("gen_ai.tool.call.result", text)
    }
    var writer = RecordWriter()
    try await bare.response(entry, to: &writer)
    try span.begin("gen_ai.tool.call.result")
    try await span.put(writer.finish())
    try span.end()
  }
}
