#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the messages of one branch of Claude.ai in their order.
struct ClaudeAIMessages: BranchReader {
  private(set) var entries: [SourceEntry] = []
  private let model: String?
  private let assets: AssetFolder?
  /// The names of tools by the ids of their calls.
  private var tools: [String: String] = [:]

  init(_ conversation: JSONObject, _ assets: AssetFolder?) {
    model = conversation.name("model")
    self.assets = assets
  }

  mutating func read(
    _ message: JSONObject, at place: Range<Int>, id: String, in record: inout RecordReader
  ) {
    let isAnswer = message.string("sender") == "assistant"
    var reader = AnthropicMessage(role: isAnswer ? "assistant" : "user", callPrefix: id)
    let blocks = message.elements("content") ?? []
    // Some exports have no blocks; in them `text` says the same.
    let content = blocks.isEmpty ? message["text"] : message["content"]
    if let content { reader.read(content, in: &record, &tools) }
    var new = reader.entries
    if !isAnswer { add(given: message, to: &new, in: &record) }
    if isAnswer {
      new.complete(
        model: message.name("model") ?? model, usage: message.json("usage"))
    }
    let created = message.time("created_at")
    for index in new.indices {
      new[index].entry.created = created
      new[index].entry.key = index == 0 ? id : "\(id)#\(index + 1)"
    }
    entries += new
  }

  /// Adds the files that a person gave with a message. The export has the text of text files, and mostly only names
  /// of others.
  private func add(
    given message: JSONObject, to new: inout [SourceEntry], in record: inout RecordReader
  ) {
    let files = (message.elements("files") ?? []).compactMap { JSONObject($0, in: record.bytes) }
    if !files.isEmpty {
      var entry = Entry(.prompt, created: nil)
      entry.segments = files.map { .init(file($0, in: &record)) }
      let given = record.finish(entry)
      new = [new.first?.continued(by: given) ?? given] + new.dropFirst()
    }
    for element in message.elements("attachments") ?? [] {
      guard let file = JSONObject(element, in: record.bytes),
        let text = file["extracted_content"].flatMap({ record.text($0) }), !text.isEmpty
      else { continue }
      var entry = Entry(.prompt, created: nil)
      entry.visibility = .model
      entry.segments = [.text(file.name("file_name").map { "\($0)\n\(text)" } ?? text)]
      new.append(record.finish(entry))
    }
  }

  private func file(_ file: JSONObject, in record: inout RecordReader) -> Entry.Segment.Content {
    let id = file.name("file_uuid") ?? file.name("uuid")
    let name = file.name("file_name")
    let type = file.name("file_type").map { MediaType($0) }
    if let asset = id.flatMap({ assets?.file($0) }) ?? name.flatMap({ assets?.file($0) }) {
      return record.attach(asset, mediaType: type, fileName: name, madeBy: .user)
    }
    return record.attach(missing: name ?? id, mediaType: type, madeBy: .user)
  }
}
