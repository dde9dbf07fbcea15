import Keepsake

/// Reads one item of OpenAI's Responses: a message, reasoning, a call or an output.
///
/// Members that Keepsake has no field for go into the entry's metadata.
struct ResponsesItem {
  private(set) var record: RecordReader
  private(set) var calls: KnownCalls
  private let item: JSONObject
  private let type: String
  /// Members that Keepsake has no field for; the item's first entry keeps them.
  private var details = ForeignDetails()

  typealias Unreadable = RecordReader.Unreadable

  init(_ item: JSONObject, _ record: RecordReader, _ calls: KnownCalls) {
    self.item = item
    self.record = record
    self.calls = calls
    // The service accepts an item that has a role and no type as a message.
    type = item.string("type") ?? (item["role"] == nil ? "" : "message")
  }

  mutating func entries() throws(Unreadable) -> [SourceEntry] {
    record.noteRepeated(item)
    var entries: [SourceEntry]
    switch type {
    case "message": entries = [record.finish(try message())]
    case "reasoning": entries = [record.finish(try reasoning())]
    case "compaction", "compaction_summary", "context_compaction":
      entries = [record.finish(compaction())]
    case "image_generation_call": entries = generation()
    case "code_interpreter_call": entries = answered("outputs")
    case "mcp_call": entries = answered("output")
    case _ where type.hasSuffix("_call"): entries = [record.finish(call())]
    case _ where type.hasSuffix("_output"): entries = [record.finish(try output())]
    default: throw Unreadable(reason: "its type is not known")
    }
    if !entries.isEmpty {
      entries[0].entry.metadata = details.metadata(format: record.format)
    }
    return entries
  }

  /// Keeps the members that Keepsake has no field for.
  private mutating func keep(othersThan known: [String]) {
    for (key, value) in item.others(than: known + ["type", "id"]) where !value.isDefault {
      details.add(key, value)
    }
  }
}

// MARK: - What was said

extension ResponsesItem {
  private mutating func message() throws(Unreadable) -> Entry {
    var entry: Entry
    switch item.string("role") {
    case "user":
      entry = Entry(.prompt)
      entry.segments = try contents(of: item["content"], madeBy: .user)
    case "assistant":
      entry = Entry(.response)
      entry.segments = try contents(of: item["content"], madeBy: .response)
    case "developer", "system":
      entry = Entry(.instructions)
      entry.segments = try contents(of: item["content"], madeBy: .source)
      if item.string("role") == "developer" { details.add("role", "developer") }
    case let role?: throw Unreadable(reason: "its role '\(role)' is not known")
    case nil: throw Unreadable(reason: "it has no role")
    }
    keep(othersThan: ["role", "content"])
    return entry
  }

  private mutating func reasoning() throws(Unreadable) -> Entry {
    var entry = Entry(.reasoning)
    for key in ["summary", "content"] {
      entry.segments += try contents(of: item[key], madeBy: .response)
    }
    if let encrypted = encrypted() { entry.segments.append(encrypted) }
    keep(othersThan: ["summary", "content", "encrypted_content"])
    return entry
  }

  /// Reads the item that replaces earlier items for the model.
  private mutating func compaction() -> Entry {
    var entry = Entry(.event)
    entry.visibility = .model
    if let encrypted = encrypted() { entry.segments.append(encrypted) }
    keep(othersThan: ["encrypted_content"])
    return entry
  }

  /// The segment with the content that only the service can decrypt.
  private mutating func encrypted() -> Entry.Segment? {
    guard item.kind("encrypted_content") == .string, let place = item["encrypted_content"] else {
      return nil
    }
    return Entry.Segment(record.opaque(place, type: "encrypted_content"))
  }
}

// MARK: - What was called, and what it returned

extension ResponsesItem {
  private mutating func call() -> Entry {
    keepType(unless: "function_call")
    let id = item.name("call_id") ?? item.name("id")
    let tool = item.name("name") ?? String(type.dropLast("_call".count))
    let texts = ["arguments", "input", "code"]
    let values = texts + ["action", "actions", "operation"]
    let arguments: String
    if let key = texts.first(where: { item.kind($0) == .string }) {
      // The text stays unchanged, even if it is no JSON.
      arguments = item.string(key) ?? ""
      keep(othersThan: ["call_id", "name", key])
    } else if let key = values.first(where: { item.kind($0).map { $0 != .null } ?? false }) {
      arguments = item.json(key)?.text ?? ""
      keep(othersThan: ["call_id", "name", key])
    } else {
      let others = item.others(than: ["type", "id", "call_id", "name", "status", Self.passed])
      arguments = JSON.object(others).text
      for key in ["status", Self.passed] {
        if let value = item.json(key), !value.isDefault { details.add(key, value) }
      }
    }
    return .toolCalls([calls.call(id, tool: tool, arguments: arguments)])
  }

  /// Keeps the item's type where it is not the usual one.
  private mutating func keepType(unless usual: String) {
    if type != usual { details.add("type", .string(type)) }
  }

  /// Reads a call of one of the service's own tools, which holds the tool's output.
  private mutating func answered(_ key: String) -> [SourceEntry] {
    let output = item[key]
    let error = item.json("error").flatMap { $0.isDefault ? nil : $0 }
    var asked = call()
    let call = asked.toolCalls[0]
    details.remove(key)
    asked.metadata = nil
    let entries = [record.finish(asked)]
    guard let output, item.kind(key) != .null || error != nil else { return entries }
    let maker = Entry.MadeBy.toolCall(call)
    var segments: [Entry.Segment] = []
    for part in JSONText.elements(output, in: record.bytes) ?? [] {
      segments.append(printed(part, madeBy: maker))
    }
    if let text = record.text(output) { segments.append(.text(text)) }
    let answer = Entry.toolOutput(callID: call.id, tool: call.tool, segments: segments)
    return entries + [record.finish(answer)]
  }

  /// The segment of what a program that the service ran has printed or drawn.
  private mutating func printed(_ range: Range<Int>, madeBy maker: Entry.MadeBy) -> Entry.Segment {
    if let part = JSONObject(range, in: record.bytes) {
      if part.string("type") == "logs", let text = part["logs"].flatMap({ record.text($0) }) {
        return .text(text)
      }
      if part.string("type") == "image", let content = resource(part, "url", madeBy: maker) {
        return .init(content)
      }
    }
    return .init(record.opaque(range, type: "output"))
  }

  /// The member in which Codex keeps notes of its own beside an item.
  private static let passed = "internal_chat_message_metadata_passthrough"

  private mutating func output() throws(Unreadable) -> Entry {
    keepType(unless: "function_call_output")
    // The output of a local shell has its call's id as its own id.
    let id = item.name("call_id") ?? item.name("id")
    let tool = item.name("name") ?? id.flatMap(calls.tool)
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    var known = ["call_id", "name", "output"]
    if let output = item["output"] {
      entry.segments = try returned(output, madeBy: maker)
    } else {
      let others = item.others(than: ["type", "id", "call_id", "name", "status", Self.passed])
      if !others.isEmpty { entry.segments = [.structure(.object(others))] }
      known += others.map(\.0)
    }
    keep(othersThan: known)
    return entry
  }

  /// The segments of an output, which may be a text, a list of contents, or a tool's own JSON.
  private mutating func returned(_ range: Range<Int>, madeBy maker: Entry.MadeBy)
    throws(Unreadable) -> [Entry.Segment]
  {
    switch JSONText.kind(range, in: record.bytes) {
    case .string, .null: return try contents(of: range, madeBy: maker)
    case .array:
      let elements = JSONText.elements(range, in: record.bytes) ?? []
      let areContents = elements.allSatisfy {
        JSONObject($0, in: record.bytes)?.kind("type") == .string
      }
      if areContents { return try contents(of: range, madeBy: maker) }
    case .object:
      let object = JSONObject(range, in: record.bytes)
      // Older versions wrote an object with the text in `content` and a flag for success beside it.
      if object?.kind("content") == .string, let text = object?["content"] {
        return try contents(of: text, madeBy: maker)
      }
      if object?.kind("type") == .string {
        var rest: [(String, JSON)] = []
        let only = segment(range, number: 1, madeBy: maker, rest: &rest)
        if !rest.isEmpty { details.add("content", [0: rest]) }
        return [only]
      }
    default: break
    }
    guard let json = JSONText.value(range, in: record.bytes) else {
      throw Unreadable(reason: "its output can't be read")
    }
    return [.structure(json)]
  }

  /// Reads the generation of an image, a call that holds its own output.
  private mutating func generation() -> [SourceEntry] {
    let told = [
      "type", "id", "call_id", "status", "result", "error", Self.passed,
    ]
    let call = calls.call(
      item.name("call_id") ?? item.name("id"), tool: "image_generation",
      arguments: JSON.object(item.others(than: told)).text)
    for key in ["status", Self.passed] {
      if let value = item.json(key), !value.isDefault { details.add(key, value) }
    }
    keepType(unless: "function_call")
    let asked = record.finish(.toolCalls([call]))
    var segments: [Entry.Segment] = []
    if let result = item["result"], item.kind("result") == .string, result.count > 2 {
      segments.append(image(result, madeBy: .toolCall(call)))
    }
    if let error = item.json("error"), !error.isDefault { segments.append(.structure(error)) }
    // An item that only repeats the id of an earlier image has no output of its own.
    let hasEnded = ["completed", "failed"].contains(item.string("status"))
    guard hasEnded || !segments.isEmpty else { return [asked] }
    let output = Entry.toolOutput(callID: call.id, tool: call.tool, segments: segments)
    return [asked, record.finish(output)]
  }

  /// The segment of the generated image, whose base64 as a rule stands there without the prefix of a data URL.
  private mutating func image(_ result: Range<Int>, madeBy maker: Entry.MadeBy) -> Entry.Segment {
    let url = DataURL(result, in: record.bytes)
    let declared = item.string("output_format").map { MediaType("image/\($0)") }
    let base64 = url?.payload ?? (result.lowerBound + 1)..<(result.upperBound - 1)
    if let content = record.attach(
      base64: base64, mediaType: url?.mediaType ?? declared, label: nil, madeBy: maker)
    {
      return Entry.Segment(content)
    }
    record.remark("The image of an 'image_generation_call' is damaged, and kept as it is.")
    return Entry.Segment(record.opaque(result, type: "image_generation_call"))
  }
}

// MARK: - Contents

extension ResponsesItem {
  /// The segments of a content, which may be a text or a list of parts.
  private mutating func contents(of range: Range<Int>?, madeBy maker: Entry.MadeBy)
    throws(Unreadable) -> [Entry.Segment]
  {
    guard let range else { return [] }
    switch JSONText.kind(range, in: record.bytes) {
    case .null: return []
    case .string: return record.text(range).map { [.text($0)] } ?? []
    case .array:
      let elements = JSONText.elements(range, in: record.bytes) ?? []
      var segments: [Entry.Segment] = []
      var others: [Int: [(String, JSON)]] = [:]
      for (index, element) in elements.enumerated() {
        var rest: [(String, JSON)] = []
        segments.append(segment(element, number: index + 1, madeBy: maker, rest: &rest))
        if !rest.isEmpty { others[index] = rest }
      }
      details.add("content", others)
      return segments
    default: throw Unreadable(reason: "its content is neither a text nor a list")
    }
  }

  private mutating func segment(
    _ range: Range<Int>, number: Int, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment {
    guard let part = JSONObject(range, in: record.bytes) else {
      record.remark("Content \(number) is kept as it is: it is no object.")
      return Entry.Segment(record.opaque(range, type: "content"))
    }
    record.noteRepeated(part)
    let type = part.string("type") ?? ""
    let content: Entry.Segment.Content?
    switch type {
    case "input_text", "output_text", "text", "summary_text", "reasoning_text":
      content = part["text"].flatMap { record.text($0) }.map { .text($0) }
    case "refusal": content = part["refusal"].flatMap { record.text($0) }.map { .text($0) }
    case "input_image", "computer_screenshot":
      content = resource(part, "image_url", madeBy: maker)
    case "input_file":
      content =
        resource(part, "file_data", madeBy: maker) ?? resource(part, "file_url", madeBy: maker)
    case "input_audio": content = record.attach(inputAudio: part, madeBy: maker)
    case "encrypted_content":
      return Entry.Segment(record.opaque(range, type: type))
    default: content = nil
    }
    if let content {
      let known = ["type", "text", "refusal", "image_url", "file_data", "file_url", "input_audio"]
      rest = part.others(than: known).filter { !$0.1.isDefault }
      return Entry.Segment(content)
    }
    record.remark(
      Self.types.contains(type)
        ? "Content \(number) is kept as it is: it is no \(type) as it should be."
        : "Content \(number) is kept as it is: its type '\(type)' is not known.")
    return Entry.Segment(record.opaque(range, type: type.isEmpty ? "content" : type))
  }

  private static let types = [
    "input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal",
    "input_image", "computer_screenshot", "input_file", "input_audio",
  ]

  /// Attaches the bytes of a data URL or plain base64, or the address of another URL, or the service's id of a file.
  private mutating func resource(_ part: JSONObject, _ key: String, madeBy maker: Entry.MadeBy)
    -> Entry.Segment.Content?
  {
    guard part.kind(key) == .string, let value = part[key], value.count > 2 else {
      return part.string("file_id").map { record.attach(remote: $0, madeBy: maker) }
    }
    if let url = DataURL(value, in: record.bytes) {
      return record.attach(
        base64: url.payload, mediaType: url.mediaType, label: nil, madeBy: maker)
    }
    if key == "file_data" {
      return record.attach(
        base64: (value.lowerBound + 1)..<(value.upperBound - 1), mediaType: nil, label: nil,
        madeBy: maker)
    }
    guard let text = part.string(key), text.prefix(5).lowercased() != "data:" else { return nil }
    return record.attach(remote: text, madeBy: maker)
  }
}
