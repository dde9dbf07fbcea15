#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A stretch of a session as text of a limited size, with the words by which to read on.
struct SessionReading: Sendable {
  /// The part of a session that is asked for.
  struct Request: Sendable {
    /// The first position; nil for the newest entries.
    var start: Int?
    var count: Int
    /// Bytes of the first entry's text that were read before.
    var offset = 0
    /// The most bytes of the whole text.
    var bytes: Int
    var showsReasoning = false
  }

  /// How the ways to read on are worded: as arguments of a tool, or as URIs of resources.
  struct Wording: Sendable {
    /// Words a stretch that begins at a position, at an offset into its first entry.
    let stretch: @Sendable (_ start: Int, _ count: Int, _ offset: Int) -> String
  }

  /// The whole text.
  private(set) var text = ""

  private let frame = Frame()
  private let summary: Session.Summary
  private let request: Request
  private let wording: Wording

  /// The bytes that the first two lines may take beside the notice and the ways to read on.
  private static let headBytes = 500

  /// Reads a stretch.
  ///
  /// - Throws: A ``ToolError`` for a place that the session does not have, or an error of the store.
  init(_ session: Session, _ request: Request, wording: Wording) async throws {
    summary = try await session.summary()
    self.request = request
    self.wording = wording
    let total = summary.entries
    if let start = request.start, start > 0, start >= total {
      throw ToolError(
        "The session has \(total) entries, counted from 0: there is no entry \(start).")
    }
    let room = request.bytes - frame.notice.utf8.count - Self.headBytes
    if let start = request.start {
      let entries = try await session.entries(after: start - 1, count: request.count)
      try fill(entries, room: room)
    } else {
      if request.offset > 0 { throw ToolError("'offset' goes with 'start'.") }
      let entries = try await session.entries(last: request.count)
      fillBackwards(entries, room: room)
    }
  }

  private func rendering(_ entry: Entry) -> EntryRendering {
    EntryRendering(entry, showsReasoning: request.showsReasoning)
  }

  /// Takes entries from the first on, as many as fit; the first one is cut if it alone is too large.
  private mutating func fill(_ entries: [Entry], room: Int) throws {
    var parts = ""
    var last: Int?
    var cut: Int?
    for (index, entry) in entries.enumerated() {
      let shown = rendering(entry)
      let offset = index == 0 ? request.offset : 0
      guard Cut.isBoundary(offset, of: shown.text) else {
        throw ToolError(
          "'offset' \(offset) is no place in entry \(shown.position), which has \(shown.text.count) bytes. Give the offset that an answer named."
        )
      }
      let left = room - parts.utf8.count
      if let part = part(shown, from: offset, room: left, mayCut: index == 0) {
        parts += part.text
        last = shown.position
        cut = part.end
      } else {
        break
      }
      if cut != nil { break }
    }
    finish(parts, first: entries.first?.position, last: last, cut: cut)
  }

  /// Takes entries from the newest back, as many as fit.
  private mutating func fillBackwards(_ entries: [Entry], room: Int) {
    var parts: [String] = []
    var size = 0
    var first: Int?
    var cut: Int?
    for entry in entries.reversed() {
      let shown = rendering(entry)
      guard let part = part(shown, from: 0, room: room - size, mayCut: parts.isEmpty) else { break }
      parts.append(part.text)
      size += part.text.utf8.count
      first = shown.position
      cut = part.end
      if cut != nil { break }
    }
    let last = entries.last?.position
    finish(parts.reversed().joined(), first: first, last: last, cut: cut)
  }

  /// A framed entry that fits, with the offset at which it was cut; nil if it does not fit and may not be cut.
  private func part(
    _ entry: EntryRendering, from offset: Int, room: Int, mayCut: Bool
  ) -> (text: String, end: Int?)? {
    let total = entry.text.count
    // The facts of a piece are the longest that there can be.
    let piece = "\(entry.facts) bytes \(total)..\(total) of \(total)"
    let free = room - frame.overhead(piece)
    if total - offset <= free {
      let facts = offset == 0 ? entry.facts : "\(entry.facts) bytes \(offset)..\(total) of \(total)"
      return (frame.part(facts, String(decoding: entry.text[offset...], as: UTF8.self)), nil)
    }
    guard mayCut else { return nil }
    let end = max(
      Cut.end(of: entry.text, from: offset, limit: max(free, 0)),
      min(total, offset + Self.leastProgress(entry.text, offset)))
    let facts = "\(entry.facts) bytes \(offset)..\(end) of \(total)"
    let text = frame.part(facts, String(decoding: entry.text[offset..<end], as: UTF8.self))
    return (text, end < total ? end : nil)
  }

  /// The bytes of the character at an offset: a piece is never empty, or reading on would never end.
  private static func leastProgress(_ text: [UInt8], _ offset: Int) -> Int {
    var end = offset + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end - offset
  }

  /// Puts the head before the parts: how to read on comes first, because clients cut text at its end.
  private mutating func finish(_ parts: String, first: Int?, last: Int?, cut: Int?) {
    let total = summary.entries
    var head = "session \(summary.id.text), \(total) entries"
    if let title = summary.name {
      // As a string of JSON, so that a title can't end itself and go on as one of our words.
      head += ", title \(JSON.string(VisibleText.line(title, bytes: 80)).text)"
    }
    guard let first, let last else {
      text = frame.notice + head + "; none shown.\n"
      return
    }
    head += "\nshown \(first)..\(last)"
    if first > 0 {
      // Where the size was what ended this stretch, as many entries before it will fit, and no more.
      let start = max(0, first - min(request.count, last - first + 1))
      head += "; older: \(wording.stretch(start, first - start, 0))"
    }
    if let cut {
      head += "; rest of entry \(last): \(wording.stretch(last, request.count, cut))"
    } else if last + 1 < total {
      head += "; newer: \(wording.stretch(last + 1, request.count, 0))"
    }
    text = frame.notice + head + "\n" + parts
  }
}
