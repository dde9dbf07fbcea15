#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a session as Codex keeps it: items for the model, and events that repeat their texts for the person.
struct CodexWriter: HandOverWriter {
  private let head: HandOverHead
  private var items = OpenAIResponsesEncoder(.list, isNew: false)
  private var time: Date

  init(_ head: HandOverHead) {
    self.head = head
    time = head.begun
  }

  func beginning() -> [OutgoingRecord] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("id", head.id)
    writer.fixed("timestamp", head.begun.agentTime)
    writer.fixed("cwd", head.folder)
    writer.fixed("originator", "keepsake")
    writer.fixed("cli_version", Self.version)
    writer.fixed("source", "cli")
    writer.fixed("model_provider", "openai")
    writer.endObject()
    return [line("session_meta", OutgoingRecord(bytes: writer.bytes))]
  }

  mutating func lines(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    let ended = items.records(with: entry, &losses)
    time = entry.entry.created ?? time
    let event = event(entry.entry).map { [$0] } ?? []
    return event + ended.map { line("response_item", $0) }
  }

  mutating func rest(_ losses: inout Losses) -> [OutgoingRecord] {
    items.rest().map { line("response_item", $0) }
  }

  /// The version of Codex whose lines are imitated.
  private static let version = "0.144.0"

  /// The event that shows an entry's text to the person; nil for an entry without text or of another kind.
  private func event(_ entry: Entry) -> OutgoingRecord? {
    let isPrompt = entry.kind == .prompt
    guard isPrompt || entry.kind == .response, !entry.text.isEmpty else { return nil }
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("type", isPrompt ? "user_message" : "agent_message")
    writer.fixed("message", entry.text)
    if isPrompt { writer.strings("images", []) }
    writer.endObject()
    return line("event_msg", OutgoingRecord(bytes: writer.bytes))
  }

  private func line(_ type: String, _ payload: OutgoingRecord) -> OutgoingRecord {
    let before = #"{"timestamp":"\#(time.agentTime)","type":"\#(type)","payload":"#
    return payload.framed(by: Array(before.utf8), and: Array("}".utf8))
  }
}
