#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the messages of one branch of ChatGPT in their order.
///
/// No message says which call it answers, so a tool's message answers the call before it in the branch. The name in a
/// tool's message may differ from the tool that was called, so it is not compared.
struct ChatGPTMessages: BranchReader {
  private(set) var entries: [SourceEntry] = []
  private let model: String?
  private let assets: AssetFolder?
  /// The newest call of the branch.
  private var call: Entry.ToolCall?

  init(_ conversation: JSONObject, _ assets: AssetFolder?) {
    model = conversation.name("default_model_slug")
    self.assets = assets
  }

  mutating func read(
    _ message: JSONObject, at place: Range<Int>, id: String, in record: inout RecordReader
  ) {
    let role = message.object("author")?.string("role") ?? ""
    var new: [SourceEntry]
    switch role {
    case "user": new = prompt(message, in: &record)
    case "assistant": new = answer(message, id: id, in: &record)
    case "tool": new = [output(message, in: &record)]
    case "system": new = instructions(message, in: &record)
    default:
      record.remark("A message of the role '\(role)' is kept as it is: the role is not known here.")
      new = []
    }
    complete(&new, message, id: id)
    entries += new
  }

  private func complete(_ new: inout [SourceEntry], _ message: JSONObject, id: String) {
    let created = message.time("create_time")
    let facts = message.object("metadata")
    let isHidden =
      facts?.json("is_visually_hidden_from_conversation")?.boolValue == true
      || message.json("weight")?.doubleValue == 0
    for index in new.indices {
      new[index].entry.key = index == 0 ? id : "\(id)#\(index + 1)"
      new[index].entry.created = created
      if isHidden { new[index].entry.visibility = .model }
      if [.response, .reasoning, .toolCalls].contains(new[index].entry.kind) {
        new[index].entry.model = facts?.name("model_slug") ?? model
      }
    }
  }

  private func prompt(_ message: JSONObject, in record: inout RecordReader) -> [SourceEntry] {
    let content = ChatGPTContent(message, assets, madeBy: .user)
    if content.type == "user_editable_context" {
      let texts = ["user_profile", "user_instructions"].compactMap { content.text($0, in: &record) }
      var entry = Entry(.instructions, segments: texts.map { .text($0) }, created: nil)
      entry.visibility = .model
      return texts.isEmpty ? [] : [record.finish(entry)]
    }
    var entry = Entry(.prompt, created: nil)
    entry.segments = content.segments(in: &record) + content.files(in: &record)
    return entry.segments.isEmpty ? [] : [record.finish(entry)]
  }

  private func instructions(_ message: JSONObject, in record: inout RecordReader) -> [SourceEntry] {
    var entry = Entry(.instructions, created: nil)
    entry.segments = ChatGPTContent(message, assets, madeBy: .source).segments(in: &record)
    entry.visibility = .model
    return entry.segments.isEmpty ? [] : [record.finish(entry)]
  }

  private mutating func answer(
    _ message: JSONObject, id: String, in record: inout RecordReader
  ) -> [SourceEntry] {
    let content = ChatGPTContent(message, assets, madeBy: .response)
    let recipient = message.name("recipient") ?? "all"
    if recipient != "all" {
      let arguments = content.text("text", in: &record) ?? content.joinedParts(in: &record)
      let call = Entry.ToolCall(id: id, tool: recipient, arguments: arguments)
      self.call = call
      return [record.finish(Entry(.toolCalls, toolCalls: [call], created: nil))]
    }
    let isThought = ["thoughts", "reasoning_recap"].contains(content.type)
    var entry = Entry(isThought ? .reasoning : .response, created: nil)
    entry.segments = content.segments(in: &record)
    return entry.segments.isEmpty ? [] : [record.finish(entry)]
  }

  private func output(_ message: JSONObject, in record: inout RecordReader) -> SourceEntry {
    let maker = call.map { Entry.MadeBy.toolCall($0) } ?? .source
    let content = ChatGPTContent(message, assets, madeBy: maker)
    let name = message.object("author")?.name("name")
    var entry = Entry.toolOutput(callID: call?.id, tool: call?.tool ?? name, segments: [])
    record.basis = .position
    entry.segments = content.segments(in: &record) + content.drawn(in: &record)
    record.basis = .recorded
    return record.finish(entry)
  }
}
