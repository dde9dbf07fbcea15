#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads one event of ADK: a content in Gemini's form, with its author and what the event did to the session.
struct ADKEvent {
  private(set) var said = RecordEntries()
  private(set) var calls: GeminiCalls
  private let event: JSONObject
  private let artifacts: ADKArtifacts

  init(_ event: JSONObject, _ artifacts: ADKArtifacts, _ calls: GeminiCalls) {
    self.event = event
    self.artifacts = artifacts
    self.calls = calls
  }

  /// The members that are read elsewhere, or that repeat what the session says; all others become details.
  private static let known: Set<String> = [
    "id", "author", "timestamp", "content", "partial", "usageMetadata", "modelVersion",
    "errorCode", "errorMessage",
  ]

  mutating func read(in record: inout RecordReader) {
    // A partial event is a piece of a content that a later event holds whole.
    if member("partial").flatMap({ JSONText.value($0, in: event.bytes) })?.boolValue == true {
      return
    }
    content(in: &record)
    compaction(in: &record)
    failure(in: &record)
    said.replace(with: artifacts.attached(to: said.entries, by: event, in: &record))
    var details = ForeignDetails()
    for (key, value) in event.others(than: []) where !value.isDefault && !Self.isKnown(key) {
      details.add(key, value)
    }
    said.keep(details, format: record.format)
    let time = member("timestamp").flatMap { JSONText.value($0, in: event.bytes) }
    said.stamp(time.flatMap(ForeignTime.date), key: event.name("id"))
    said.complete(model: string("modelVersion"), usage: usage)
    if let author = event.name("author"), author != Self.user { said.sign(author: author) }
  }

  private static let user = "user"

  private func member(_ name: String) -> Range<Int>? { GeminiParts.member(event, name) }

  private func string(_ name: String) -> String? {
    GeminiParts.string(event, name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func isKnown(_ key: String) -> Bool {
    known.contains(key) || known.contains { GeminiParts.snakeCase($0) == key }
  }

  private var usage: Usage? {
    guard let reported = member("usageMetadata").flatMap({ JSONText.value($0, in: event.bytes) }),
      !reported.isDefault
    else { return nil }
    return Usage(reported: reported)
  }

  private mutating func content(in record: inout RecordReader) {
    guard let content = event.object("content"), let parts = content["parts"] else { return }
    let fallback = event.string("author") == Self.user ? "user" : "model"
    var reader = GeminiContent(role: content.string("role") ?? fallback, calls)
    for part in JSONText.elements(parts, in: record.bytes) ?? [] {
      reader.read(part, in: &record)
    }
    reader.end(in: &record)
    calls = reader.calls
    said.add(reader.entries)
  }

  /// Adds the summary that replaces the events before it for the model.
  private mutating func compaction(in record: inout RecordReader) {
    guard let actions = event.object("actions"), let compaction = actions.object("compaction"),
      let content = GeminiParts.member(compaction, "compactedContent")
        .flatMap({ JSONObject($0, in: record.bytes) }), let parts = content["parts"]
    else { return }
    let segments = GeminiParts.segments(parts, madeBy: .response, in: &record)
    if segments.isEmpty { return }
    var entry = Entry(.event, segments: segments, created: nil)
    entry.visibility = .model
    said.add(entry, in: &record)
  }

  private mutating func failure(in record: inout RecordReader) {
    let words = [string("errorCode"), string("errorMessage")].compactMap(\.self)
    if words.isEmpty { return }
    var entry = Entry(.event, segments: [.text(words.joined(separator: ": "))], created: nil)
    entry.visibility = .person
    entry.tags = ["error"]
    said.add(entry, in: &record)
  }
}
