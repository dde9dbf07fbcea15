import Keepsake

/// Reads the parts of one message of the AI SDK, which holds thoughts, text, calls and outputs, as an entry each.
struct AISDKMessage {
  private(set) var said = RecordEntries()
  private(set) var calls: KnownCalls
  private let message: JSONObject
  private let kind: Entry.Kind
  private let maker: Entry.MadeBy
  /// Calls that directly follow one another, each with the object that also holds the call's output.
  private var made: [(call: Entry.ToolCall, part: JSONObject)] = []
  /// The parts that name a source which the answer refers to.
  private var sources: [JSON] = []
  /// Members of parts that Keepsake has no field for, by the part's index.
  private var others: [Int: [(String, JSON)]] = [:]

  /// Creates a reader of a message; nil where the message's role is not known.
  init?(_ message: JSONObject, _ calls: KnownCalls) {
    switch message.string("role") {
    case "user": (kind, maker) = (.prompt, .user)
    case "system": (kind, maker) = (.instructions, .source)
    case "assistant": (kind, maker) = (.response, .response)
    default: return nil
    }
    self.message = message
    self.calls = calls
  }

  mutating func read(in record: inout RecordReader) {
    if let parts = message.elements("parts") {
      for (index, part) in parts.enumerated() { read(part, at: index, in: &record) }
    } else {
      older(in: &record)
    }
    answer(in: &record)
    said.close(in: &record)
    var details = ForeignDetails()
    for (key, value) in message.others(than: Self.known) where !value.isDefault {
      details.add(key, value)
    }
    if !sources.isEmpty { details.add("sources", .array(sources)) }
    details.add("parts", others)
    said.keep(details, format: record.format)
  }

  /// The members of a message that are read. The last three are those of version 4, which later versions say in
  /// `parts`.
  private static let known = [
    "id", "role", "parts", "content", "createdAt", "toolInvocations", "experimental_attachments",
    "reasoning",
  ]

  // MARK: - Parts

  private mutating func read(_ range: Range<Int>, at index: Int, in record: inout RecordReader) {
    guard let part = JSONObject(range, in: record.bytes) else {
      return unknown(range, type: "part", because: "it is no object", in: &record)
    }
    record.noteRepeated(part)
    let type = part.string("type") ?? ""
    if let tool = Self.tool(part, type) { return call(tool, part, at: index, in: &record) }
    answer(in: &record)
    var known = ["type", "text", "state"]
    switch type {
    case "step-start": said.close(in: &record)
    case "text":
      guard let text = part["text"].flatMap({ record.text($0) }) else {
        return unknown(range, type: type, because: "it has no text", in: &record)
      }
      if !text.isEmpty { said.add([.text(text)], to: kind, in: &record) }
    case "reasoning": known += reasoning(part, in: &record)
    case "file", "reasoning-file":
      let kind = type == "file" ? kind : .reasoning
      guard let names = file(part, to: kind, in: &record) else {
        return unknown(range, type: type, because: "its file can't be read", in: &record)
      }
      known += names
    case "source", "source-url", "source-document":
      if let source = JSONText.value(range, in: record.bytes) { sources.append(source) }
      return
    case "custom":
      return said.add([.init(record.opaque(range, type: type))], to: kind, in: &record)
    case _ where type.hasPrefix("data-") && part["data"] != nil:
      guard let data = part.json("data") else { return }
      said.add(
        [.init(.structure(data, schema: type), id: part.string("id"))], to: kind, in: &record)
      known += ["data", "id"]
    default:
      return unknown(range, type: type, because: "its type '\(type)' is not known", in: &record)
    }
    keep(part, at: index, than: known)
  }

  private mutating func keep(_ part: JSONObject, at index: Int, than known: [String]) {
    var rest = part.others(than: known).filter { !$0.1.isDefault }
    // The message was stored while this part was still streaming.
    if part.string("state") == "streaming" { rest.append(("state", "streaming")) }
    if !rest.isEmpty { others[index] = rest }
  }

  private mutating func unknown(
    _ range: Range<Int>, type: String, because reason: String, in record: inout RecordReader
  ) {
    record.remark("A part is kept as it is: \(reason).")
    EmbeddedBase64.cut(range, from: &record)
    let content = record.opaque(range, type: type.isEmpty ? "part" : type)
    said.add([.init(content)], to: kind, in: &record)
  }
}

// MARK: - Thoughts and files

extension AISDKMessage {
  /// Adds the reasoning of a part as an entry of its own, because each part carries its own signature.
  /// - Returns: The members that were read.
  private mutating func reasoning(_ part: JSONObject, in record: inout RecordReader) -> [String] {
    said.close(in: &record)
    said.begin(.reasoning, in: &record)
    let text = part["text"] ?? part["reasoning"]
    if let text = text.flatMap({ record.text($0) }), !text.isEmpty {
      said.add([.text(text)], to: .reasoning, in: &record)
    }
    let about = part.object("providerMetadata")
    for (provider, key) in [("anthropic", "signature"), ("google", "thoughtSignature")] {
      if let signature = about?.object(provider)?.name(key) { said.sign(signature) }
    }
    let openAI = about?.object("openai")
    if let sealed = openAI?["reasoningEncryptedContent"],
      openAI?.kind("reasoningEncryptedContent") == .string
    {
      let content = record.opaque(sealed, type: "encrypted_content")
      said.add([.init(content)], to: .reasoning, in: &record)
    }
    said.close(in: &record)
    return ["reasoning"]
  }

  /// Attaches the file of a part: a data URL, another URL, base64 as in version 4, or an id that the service knows.
  /// - Returns: The names of the members that were read; nil where the part has no file.
  private mutating func file(
    _ part: JSONObject, to kind: Entry.Kind, in record: inout RecordReader
  ) -> [String]? {
    said.begin(kind, in: &record)
    let types = ["mediaType", "mimeType", "contentType"]
    let type = types.lazy.compactMap { part.name($0) }.first.map { MediaType($0) }
    let name = part.name("filename") ?? part.name("name")
    var content: Entry.Segment.Content?
    var known = types + ["url", "data"]
    if part.kind("url") == .string, let url = part["url"], let text = part.name("url") {
      if let data = DataURL(url, in: record.bytes) {
        content = record.attach(
          base64: data.payload, mediaType: type ?? data.mediaType, label: nil, fileName: name,
          madeBy: maker)
        known += ["filename", "name"]
      } else if text.prefix(5).lowercased() != "data:" {
        content = record.attach(remote: text, mediaType: type, madeBy: maker)
      }
    } else if part.kind("data") == .string, let data = part["data"] {
      content = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: type, label: nil,
        fileName: name, madeBy: maker)
      known += ["filename", "name"]
    } else if let id = part.object("providerReference")?.members.first?.key,
      let reference = part.object("providerReference")?.name(id)
    {
      content = record.attach(remote: reference, mediaType: type, madeBy: maker)
    }
    guard let content else { return nil }
    said.add([.init(content)], to: kind, in: &record)
    return known
  }
}

// MARK: - Calls, and what they returned

extension AISDKMessage {
  /// Returns the name of the tool that a part calls, and the object that holds the call; nil where the part is no
  /// call.
  private static func tool(_ part: JSONObject, _ type: String) -> (name: String, call: JSONObject)?
  {
    switch type {
    case "dynamic-tool": (part.string("toolName") ?? "", part)
    case "tool-invocation":
      part.object("toolInvocation").map { ($0.string("toolName") ?? "", $0) }
    case _ where type.hasPrefix("tool-"): (String(type.dropFirst("tool-".count)), part)
    default: nil
    }
  }

  private mutating func call(
    _ tool: (name: String, call: JSONObject), _ part: JSONObject, at index: Int,
    in record: inout RecordReader
  ) {
    let object = tool.call
    // Where the model wrote arguments that are no JSON, the SDK keeps them in `rawInput`.
    let arguments =
      object.json("input")?.text ?? object.json("args")?.text ?? object.string("rawInput")
      ?? object.json("rawInput")?.text ?? ""
    made.append(
      (calls.call(object.name("toolCallId"), tool: tool.name, arguments: arguments), object))
    var rest = object.others(than: Self.knownOfCalls).filter { !$0.1.isDefault }
    if let state = object.string("state"), !Self.endStates.contains(state) {
      rest.append(("state", .string(state)))
    }
    if !rest.isEmpty { others[index, default: []] += rest }
  }

  private static let knownOfCalls = [
    "type", "toolCallId", "toolName", "input", "args", "rawInput", "output", "result", "errorText",
    "state",
  ]
  /// The states that the entry of the output shows by itself, so that they need no detail.
  private static let endStates = ["output-available", "output-error", "output-denied", "result"]

  /// Adds the gathered calls as one entry, and then an entry for each output.
  private mutating func answer(in record: inout RecordReader) {
    if made.isEmpty { return }
    let made = made
    self.made = []
    said.close(in: &record)
    for (call, _) in made { said.add(call, in: &record) }
    said.close(in: &record)
    for (call, part) in made {
      if let output = output(of: call, part, in: &record) { said.add(output, in: &record) }
    }
  }

  private func output(
    of call: Entry.ToolCall, _ part: JSONObject, in record: inout RecordReader
  ) -> Entry? {
    var entry = Entry.toolOutput(callID: call.id, tool: call.tool, segments: [])
    entry.created = nil
    // A call that failed or was denied has an output too, because the model went on from it.
    var kept = ForeignDetails()
    if let state = part.name("state"), Self.failures.contains(state) {
      kept.add("state", .string(state))
    }
    entry.metadata = kept.metadata(format: record.format)
    if let error = part["errorText"].flatMap({ record.text($0) }) {
      entry.segments = [.text(error)]
    } else if part.string("state") == "output-denied" {
      entry.segments = (part.object("approval")?.name("reason")).map { [.text($0)] } ?? []
    } else if let value = part["output"] ?? part["result"] {
      entry.segments = ReturnedJSON.segments(value, madeBy: .toolCall(call), in: &record)
    } else {
      return nil
    }
    return entry
  }

  private static let failures = ["output-error", "output-denied"]
}

// MARK: - Version 4

extension AISDKMessage {
  /// Reads a message without parts: its thoughts, its calls, its text and its files, in this order.
  private mutating func older(in record: inout RecordReader) {
    if let thought = message["reasoning"].flatMap({ record.text($0) }), !thought.isEmpty {
      said.add([.text(thought)], to: .reasoning, in: &record)
    }
    for (index, element) in (message.elements("toolInvocations") ?? []).enumerated() {
      guard let object = JSONObject(element, in: record.bytes) else { continue }
      call((object.string("toolName") ?? "", object), object, at: index, in: &record)
    }
    answer(in: &record)
    if let content = message["content"] {
      if let text = record.text(content) {
        if !text.isEmpty { said.add([.text(text)], to: kind, in: &record) }
      } else {
        unknown(content, type: "content", because: "it is no text", in: &record)
      }
    }
    for element in message.elements("experimental_attachments") ?? [] {
      guard let part = JSONObject(element, in: record.bytes),
        file(part, to: kind, in: &record) != nil
      else {
        unknown(element, type: "file", because: "its file can't be read", in: &record)
        continue
      }
    }
  }
}
