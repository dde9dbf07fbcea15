#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads records that are messages, requests, answers, or requests with their answers.
struct WireDecoder<Reader: WireReader>: RecordDecoder {
  static var format: String { Reader.format }

  private var reader = Reader()
  /// The instructions that are placed before the next entry.
  private var instructions: Entry?
  private var said = SaidBefore()

  /// - Parameter envelope: The JSON around the messages of a request; nil where the file has no envelope.
  init(_ envelope: JSON?) { instructions = envelope.flatMap(reader.instructions) }

  func joins(_ element: JSONObject, to last: JSONObject) -> Bool {
    Reader.joins(element, to: last)
  }

  var joinsElements: Bool { Reader.joinsElements }

  mutating func entries(of record: inout RecordReader, atAll values: [Range<Int>]) -> [SourceEntry]
  {
    var entries: [SourceEntry] = []
    for value in values { entries += self.entries(of: &record, at: value) }
    return Reader.joined(entries)
  }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let object = JSONObject(value, in: record.bytes) else {
      record.remark("The record is no object; it is kept as it is.")
      return []
    }
    record.noteRepeated(object)
    var entries = read(object, at: value, in: &record)
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The message is too large for an entry; it is kept as it is."
      entries = [record.whole(value, type: "entry", because: reason)]
    }
    return entries
  }

  private mutating func read(
    _ object: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    let request = object.object("request") ?? object.object("body")
    if request != nil || object["response"] != nil {
      return exchange(request, object["response"], in: &record)
    }
    if object[Reader.listKey] != nil { return said.new(conversation(object, in: &record)) }
    if let answer = reader.answer(object, at: value, in: &record) { return begun(answer) }
    return begun(reader.message(object, at: value, in: &record))
  }

  private mutating func exchange(
    _ request: JSONObject?, _ response: Range<Int>?, in record: inout RecordReader
  ) -> [SourceEntry] {
    var entries: [SourceEntry] = []
    if let request { entries = said.new(conversation(request, in: &record)) }
    guard let response else { return entries }
    let outer = JSONObject(response, in: record.bytes)
    let place = outer?["body"] ?? response
    guard let object = JSONObject(place, in: record.bytes),
      let answer = reader.answer(object, at: place, in: &record)
    else {
      record.remark("An answer is kept as it is: it is no message.")
      return entries
    }
    said.add(answer)
    return entries + answer
  }

  /// Reads all messages of a request.
  private mutating func conversation(_ request: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    // A request repeats the conversation from its beginning, so calls are counted anew.
    reader = Reader()
    let beside = request.others(than: [Reader.listKey])
    instructions = reader.instructions(.object(beside)) ?? instructions
    let messages = request[Reader.listKey].map { place in
      JSONText.elements(place, in: record.bytes) ?? [place]
    }
    var entries: [SourceEntry] = []
    for message in messages ?? [] {
      if let object = JSONObject(message, in: record.bytes) {
        entries += reader.message(object, at: message, in: &record)
      } else if let text = record.text(message) {
        entries.append(
          record.finish(Entry(.prompt, segments: [.text(text)], created: nil)))
      }
    }
    return begun(entries)
  }

  /// Places the instructions before the first entry. Without a text, their tools go to instructions that stand there.
  private mutating func begun(_ entries: [SourceEntry]) -> [SourceEntry] {
    guard let instructions, let first = entries.first else { return entries }
    self.instructions = nil
    var entries = entries
    if first.entry.kind == .instructions, instructions.segments.isEmpty {
      entries[0].entry.toolDefinitions = instructions.toolDefinitions
    } else {
      entries.insert(SourceEntry(instructions), at: 0)
    }
    return entries
  }
}

extension Entry {
  /// Whether the entry holds only calls of functions.
  fileprivate var hasPlainCalls: Bool {
    kind == .toolCalls
      && (metadata?.members ?? []).allSatisfy { $0.value["type"] == nil }
  }

  /// The instructions of a request with texts and tools; nil where it has neither.
  static func instructions(_ texts: [Segment], tools: JSON?) -> Entry? {
    let tools = tools.flatMap { $0.isDefault ? nil : $0 }
    if texts.isEmpty, tools == nil { return nil }
    var entry = Entry(.instructions, segments: texts, created: nil)
    entry.toolDefinitions = tools
    return entry
  }
}

extension [SourceEntry] {
  /// Joins neighbouring entries of calls into one, because a model made these calls together.
  func withJoinedCalls() -> [SourceEntry] {
    reduce(into: []) { joined, next in
      if let last = joined.last, last.entry.hasPlainCalls, next.entry.hasPlainCalls {
        joined[joined.count - 1].entry.toolCalls += next.entry.toolCalls
      } else {
        joined.append(next)
      }
    }
  }

  /// Sets the time of all entries, the model of all except outputs, and the usage of the last of these.
  mutating func complete(model: String?, usage: JSON?, created: Date? = nil) {
    for index in indices {
      if self[index].entry.kind != .toolOutput { self[index].entry.model = model }
      self[index].entry.created = created
    }
    guard let usage, !usage.isDefault, let last = lastIndex(where: { $0.entry.kind != .toolOutput })
    else { return }
    self[last].entry.usage = Usage(reported: usage)
  }
}
