#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes a session as Gemini CLI keeps it: a first line with the session's facts, and a message for each content.
struct GeminiCLIWriter: HandOverWriter {
  private let head: HandOverHead
  private var contents = GeminiEncoder(.list, isNew: false)
  private var count = 0
  private var begun: Date

  init(_ head: HandOverHead) {
    self.head = head
    begun = head.begun
  }

  /// Returns the first line. Gemini CLI deletes sessions by their `lastUpdated`, so that is set to the current time.
  func beginning() -> [OutgoingRecord] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("sessionId", head.id)
    writer.fixed("projectHash", SHA256.digest(of: Array(head.folder.utf8)).hex)
    writer.fixed("startTime", head.begun.agentTime)
    writer.fixed("lastUpdated", Date().agentTime)
    writer.fixed("kind", "main")
    writer.endObject()
    return [OutgoingRecord(bytes: writer.bytes)]
  }

  mutating func lines(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    let ended = contents.records(with: entry, &losses).map { line($0) }
    if !ended.isEmpty || count == 0 { begun = entry.entry.created ?? begun }
    return ended
  }

  mutating func rest(_ losses: inout Losses) -> [OutgoingRecord] {
    contents.rest().map { line($0) }
  }

  private static let answer = Array(#"{"role":"model","parts":"#.utf8)
  private static let prompt = Array(#"{"role":"user","parts":"#.utf8)

  private mutating func line(_ content: OutgoingRecord) -> OutgoingRecord {
    count += 1
    let isAnswer = content.bytes.starts(with: Self.answer)
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("id", "\(head.id)-\(count)")
    writer.fixed("timestamp", begun.agentTime)
    writer.fixed("type", isAnswer ? "gemini" : "user")
    writer.key("content")
    return content.framed(
      by: writer.bytes, dropping: (isAnswer ? Self.answer : Self.prompt).count, and: [])
  }
}
