#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The entries that one record of a log database says, as they are put together.
struct LLMEntries {
  private(set) var entries: [SourceEntry] = []
  /// The entry that further segments belong to.
  private var open: Entry?

  /// Adds segments to the last entry where that is of the same kind, and begins one where it is not.
  mutating func add(
    _ segments: [Entry.Segment], to kind: Entry.Kind, in record: inout RecordReader
  ) {
    if segments.isEmpty { return }
    begin(kind, in: &record)
    open?.segments += segments
  }

  /// Adds a call to the last entry where that is one of calls.
  mutating func add(_ call: Entry.ToolCall, in record: inout RecordReader) {
    begin(.toolCalls, in: &record)
    open?.toolCalls.append(call)
  }

  /// Begins an entry unless the last is of the same kind. What is attached from here on is its.
  mutating func begin(_ kind: Entry.Kind, in record: inout RecordReader) {
    if open?.kind == kind { return }
    close(in: &record)
    open = Entry(kind, created: nil)
  }

  /// Hides the last entry from the person: it is for the model alone.
  mutating func hideLast() { open?.visibility = .model }

  /// Adds an entry that stands by itself; what was attached since the one before is its.
  mutating func add(_ entry: Entry, in record: inout RecordReader) {
    entries.append(record.finish(entry))
  }

  /// Ends the last entry. What is attached from here on is not its.
  mutating func close(in record: inout RecordReader) {
    if let open { entries.append(record.finish(open)) }
    open = nil
  }

  /// Says of all entries when they came to be, and gives them keys by what the record is called.
  mutating func stamp(_ time: String?, key: String?) {
    let created = time.flatMap(Self.microseconds).map { Date(microseconds: $0) }
    for index in entries.indices {
      entries[index].entry.created = created
      entries[index].entry.key = key.map { index == 0 ? $0 : "\($0)#\(index + 1)" }
    }
  }

  /// Says of what the model wrote which one it was, and what it took.
  mutating func complete(model: String?, usage: Usage?) {
    let written = entries.indices.filter {
      [.reasoning, .response, .toolCalls].contains(entries[$0].entry.kind)
    }
    for index in written { entries[index].entry.model = model }
    if let last = written.last { entries[last].entry.usage = usage }
  }

  /// Takes all of a record that is too large as it is.
  mutating func replace(with entry: SourceEntry) { entries = [entry] }

  /// Older versions wrote times of UTC without saying so.
  private static func microseconds(_ text: String) -> Int64? {
    RFC3339.microseconds(text) ?? RFC3339.microseconds(text + "Z")
  }
}

// MARK: - What rows say

extension JSONObject {
  /// A column that holds JSON, as a value; nil where it holds none.
  func embedded(_ column: String) -> JSON? {
    string(column).flatMap { try? JSON(validating: $0) }
  }

  /// Which model wrote an answer: the one that stood behind its name, where that is known.
  var llmModel: String? { string("resolved_model") ?? string("model") }

  /// The details of OpenAI's Chat Completions, and what the Responses, whose counts these are, call them.
  private static var detailNames: [String: String] {
    [
      "prompt_tokens_details": "input_tokens_details",
      "completion_tokens_details": "output_tokens_details",
    ]
  }

  /// What an answer took: the counts, and the service's details in its own words.
  var llmUsage: Usage? {
    var members = ["input_tokens", "output_tokens"].compactMap { name in
      json(name).map { (name, $0) }
    }
    if members.isEmpty { return nil }
    for (key, value) in embedded("token_details")?.members ?? [] {
      let name = Self.detailNames[key] ?? key
      if !members.contains(where: { $0.0 == name }) { members.append((name, value)) }
    }
    return Usage(reported: .object(members))
  }
}

extension RecordReader {
  /// Attaches what a row of attachments says: bytes, a URL or a path, neither of which is opened.
  mutating func attach(
    llm row: JSONObject?, madeBy maker: Entry.MadeBy, basis: Entry.Attachment.Basis = .recorded
  ) -> Entry.Segment.Content {
    let mediaType = row?.string("type").map { MediaType($0) }
    let path = row?.string("path")
    if let content = row?.object("content")?["base64"] {
      let name = path?.split(separator: "/").last.map(String.init)
      let inside = (content.lowerBound + 1)..<(content.upperBound - 1)
      if let attached = attach(
        base64: inside, mediaType: mediaType, label: nil, fileName: name, madeBy: maker,
        basis: basis)
      {
        return attached
      }
    }
    if let url = row?.string("url") {
      return attach(remote: url, mediaType: mediaType, madeBy: maker, basis: basis)
    }
    return attach(
      missing: path ?? row?.string("id"), mediaType: mediaType, madeBy: maker, basis: basis)
  }

  /// Attaches what the elements of an array of a row refer to.
  mutating func attach(
    llm links: [Range<Int>], madeBy maker: Entry.MadeBy,
    basis: Entry.Attachment.Basis = .recorded
  ) -> [Entry.Segment] {
    links.map { link in
      let row = JSONObject(link, in: bytes)
      return .init(attach(llm: row?.object("attachment"), madeBy: maker, basis: basis))
    }
  }
}
