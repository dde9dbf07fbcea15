#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads the steps of one interaction: inputs, thoughts, calls, results and outputs.
struct InteractionSteps {
  private(set) var calls: KnownCalls
  private var said = RecordEntries()
  /// Members of steps that Keepsake has no field for, by the step's index. The first entry of the interaction keeps
  /// them.
  private var others: [Int: [(String, JSON)]] = [:]
  private var count = 0
  /// Members of the interaction itself that Keepsake has no field for.
  private var details = ForeignDetails()
  private var created: Date?
  private var key: String?
  private var model: String?
  private var usage: Usage?

  init(_ calls: KnownCalls) { self.calls = calls }

  /// Reads the interaction's input: a text, a piece of content, a list of pieces, or a list of steps.
  mutating func read(input: Range<Int>, in record: inout RecordReader) {
    if let text = record.text(input) { return said.add([.text(text)], to: .prompt, in: &record) }
    for element in JSONText.elements(input, in: record.bytes) ?? [input] {
      let object = JSONObject(element, in: record.bytes)
      if let object, InteractionContent.isContent(object) {
        said.begin(.prompt, in: &record)
        let content = InteractionContent.content(object, element, madeBy: .user, in: &record)
        said.add([.init(content)], to: .prompt, in: &record)
      } else {
        read(element, in: &record)
      }
    }
  }

  mutating func read(_ range: Range<Int>, in record: inout RecordReader) {
    defer { count += 1 }
    guard let step = JSONObject(range, in: record.bytes), let type = step.name("type") else {
      return keep(range, "a step without a type", in: &record)
    }
    switch type {
    case "user_input": pieces(of: step, "content", to: .prompt, madeBy: .user, in: &record)
    case "model_output":
      pieces(of: step, "content", to: .response, madeBy: .response, in: &record)
      fail(step, in: &record)
    case "thought":
      // Each thought has a signature of its own, so it becomes an entry of its own.
      said.close(in: &record)
      said.begin(.reasoning, in: &record)
      pieces(of: step, "summary", to: .reasoning, madeBy: .response, in: &record)
      if let signature = step.name("signature") { said.sign(signature) }
      note(step, but: ["type", "summary", "signature"])
    case _ where type.hasSuffix(Self.call): call(step, type, in: &record)
    case _ where type.hasSuffix(Self.result): result(step, type, in: &record)
    default: keep(range, "steps of the type '\(type)' are not known here", in: &record)
    }
  }

  /// Takes the members of the interaction that apply to all of its steps.
  mutating func complete(_ interaction: JSONObject) {
    created = interaction.time("created")
    key = interaction.name("id")
    model = interaction.name("model") ?? interaction.name("agent")
    usage = interaction.json("usage").flatMap { $0.isDefault ? nil : Self.usage($0) }
    let known = [
      "object", "id", "created", "model", "usage", "steps", "input", "system_instruction", "tools",
    ]
    for (name, value) in interaction.others(than: known) where !value.isDefault {
      details.add(name, value)
    }
  }

  /// The entries of all steps that were read.
  mutating func finished(in record: inout RecordReader) -> [SourceEntry] {
    said.close(in: &record)
    details.add("steps", others)
    said.keep(details, format: record.format)
    said.stamp(created, key: key)
    said.complete(model: model, usage: usage)
    return said.entries
  }

  /// The usage of an interaction. `total_input_tokens` includes cached tokens; thoughts and tool use are counted
  /// separately. A foreign file may hold any number, so a sum that overflows becomes the largest integer.
  private static func usage(_ report: JSON) -> Usage {
    func count(_ names: String...) -> Int? {
      let counts = names.compactMap { report[$0]?.intValue }.compactMap { Int(exactly: $0) }
      return counts.isEmpty
        ? nil
        : counts.reduce(0) { total, count in
          let (sum, isTooLarge) = total.addingReportingOverflow(count)
          return isTooLarge ? .max : sum
        }
    }
    return Usage(
      input: count("total_input_tokens", "total_tool_use_tokens"),
      cachedInput: count("total_cached_tokens"),
      output: count("total_output_tokens", "total_thought_tokens"),
      reasoning: count("total_thought_tokens"), source: report)
  }
}

// MARK: - Steps

extension InteractionSteps {
  private static let call = "_call"
  private static let result = "_result"

  private mutating func pieces(
    of step: JSONObject, _ list: String, to kind: Entry.Kind, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) {
    for piece in step.elements(list) ?? [] {
      said.begin(kind, in: &record)
      let object = JSONObject(piece, in: record.bytes)
      let content =
        object.map { InteractionContent.content($0, piece, madeBy: maker, in: &record) }
        ?? record.opaque(piece, type: "content")
      said.add([.init(content)], to: kind, in: &record)
      if let annotations = object?.json("annotations"), !annotations.isDefault {
        others[count, default: []].append(("annotations", annotations))
      }
    }
  }

  /// Adds a call of an app's function, or of a tool that the service runs by itself.
  private mutating func call(_ step: JSONObject, _ type: String, in record: inout RecordReader) {
    let made = calls.call(
      step.name("id"), tool: Self.tool(step, type, Self.call),
      arguments: step.json("arguments")?.text ?? "{}")
    said.add(made, in: &record)
    note(step, but: ["type", "id", "name", "arguments"])
  }

  private mutating func result(_ step: JSONObject, _ type: String, in record: inout RecordReader) {
    said.close(in: &record)
    let named = Self.tool(step, type, Self.result)
    let id = step.name("call_id") ?? calls.newest(of: named)
    let tool = id.flatMap(calls.tool) ?? named
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool)) } ?? .source
    var entry = Entry.toolOutput(
      callID: id, tool: tool.isEmpty ? nil : tool, segments: [])
    entry.created = nil
    record.basis = step.name("call_id") == nil ? .position : .recorded
    if let result = step["result"] {
      entry.segments = InteractionContent.returned(result, madeBy: maker, in: &record)
    }
    record.basis = .recorded
    said.add(entry, in: &record)
    note(step, but: ["type", "call_id", "name", "result"])
  }

  /// The name of the tool of a call or result. A step of a service's own tool names the tool in its type.
  private static func tool(_ step: JSONObject, _ type: String, _ ending: String) -> String {
    step.name("name") ?? (type.hasPrefix("function_") ? "" : String(type.dropLast(ending.count)))
  }

  /// Adds an event for an error that occurred while the model wrote.
  private mutating func fail(_ step: JSONObject, in record: inout RecordReader) {
    guard let error = step.object("error") else { return }
    said.close(in: &record)
    let words = error.string("message") ?? error.json("code")?.text ?? "The model failed."
    var entry = Entry(.event, segments: [.text(words)], created: nil)
    entry.visibility = .person
    entry.tags = ["error"]
    said.add(entry, in: &record)
    note(step, but: ["type", "content"])
  }

  private mutating func note(_ step: JSONObject, but known: [String]) {
    let others = step.others(than: known).filter { !$0.1.isDefault }
    if !others.isEmpty { self.others[count, default: []] += others }
  }

  private mutating func keep(
    _ range: Range<Int>, _ reason: String, in record: inout RecordReader
  ) {
    said.close(in: &record)
    record.remark("A step is kept as it is, and not understood: \(reason).")
    EmbeddedBase64.cut(range, from: &record)
    let content = record.opaque(range, type: "step")
    said.add(Entry(.unknown, segments: [.init(content)], created: nil), in: &record)
  }
}
