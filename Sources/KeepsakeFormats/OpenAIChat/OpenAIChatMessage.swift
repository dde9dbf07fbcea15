import Keepsake

/// Reads one message of Chat Completions, which holds a model's thoughts, texts and calls, as an entry each.
struct OpenAIChatMessage {
  private(set) var record: RecordReader
  private(set) var calls: KnownCalls
  private let message: JSONObject
  /// Members that Keepsake has no field for; the message's first entry keeps them.
  private var details = ForeignDetails()
  private var known = ["role", "content"]
  /// Members of the content's parts that Keepsake has no field for, by the part's index.
  private var besideParts: [Int: [(String, JSON)]] = [:]
  /// Details of calls, by the call's index: the type of calls that are not of functions.
  private var besideCalls: [Int: [(String, JSON)]] = [:]

  init(_ message: JSONObject, _ record: RecordReader, _ calls: KnownCalls) {
    self.message = message
    self.record = record
    self.calls = calls
  }

  /// Reads the message.
  /// - Returns: The entries of the message; nil where its role is not known.
  mutating func entries() -> [SourceEntry]? {
    var entries: [SourceEntry]
    switch message.string("role") {
    case "system": entries = [said(.instructions, madeBy: .source)]
    case "developer":
      entries = [said(.instructions, madeBy: .source)]
      details.add("role", "developer")
    case "user": entries = [said(.prompt, madeBy: .user)]
    case "assistant": entries = answer()
    case "tool", "function": entries = [output()]
    default: return nil
    }
    details.add("content", besideParts)
    for (key, value) in message.others(than: known) where !value.isDefault {
      details.add(key, value)
    }
    if !entries.isEmpty {
      entries[0].entry.metadata = details.metadata(format: OpenAIChatCodec.name)
    }
    return entries
  }

  private mutating func said(_ kind: Entry.Kind, madeBy maker: Entry.MadeBy) -> SourceEntry {
    var entry = Entry(kind, created: nil)
    entry.segments = contents(madeBy: maker)
    return record.finish(entry)
  }

  /// Reads the thoughts, the text and the calls of a model's message, in this order.
  private mutating func answer() -> [SourceEntry] {
    var entries: [SourceEntry] = []
    let thought = ["reasoning_content", "reasoning", "thinking"]
      .first { message.kind($0) == .string && message[$0].map { $0.count > 2 } ?? false }
    if let thought, let text = message[thought].flatMap({ record.text($0) }) {
      known.append(thought)
      entries.append(record.finish(Entry(.reasoning, segments: [.text(text)], created: nil)))
    }
    var response = Entry(.response, created: nil)
    response.segments = contents(madeBy: .response)
    if message.kind("refusal") == .string,
      let text = message["refusal"].flatMap({ record.text($0) })
    {
      besideParts[response.segments.count] = [("type", "refusal")]
      response.segments.append(.text(text))
      known.append("refusal")
    }
    response.segments += images() + audio()
    if !response.segments.isEmpty { entries.append(record.finish(response)) }
    let called = toolCalls()
    if !called.isEmpty {
      var asked = Entry(.toolCalls, toolCalls: called, created: nil)
      if entries.isEmpty {
        details.add("calls", besideCalls)
      } else {
        var own = ForeignDetails()
        own.add("calls", besideCalls)
        asked.metadata = own.metadata(format: OpenAIChatCodec.name)
      }
      entries.append(record.finish(asked))
    }
    return entries
  }

  private mutating func toolCalls() -> [Entry.ToolCall] {
    var found: [Entry.ToolCall] = []
    for element in message.elements("tool_calls") ?? [] {
      guard let call = JSONObject(element, in: record.bytes) else { continue }
      let inner = call.object("function") ?? call.object("custom") ?? call
      if call["custom"] != nil { besideCalls[found.count] = [("type", "custom")] }
      found.append(
        calls.call(
          call.string("id"), tool: inner.string("name") ?? "", arguments: arguments(of: inner)))
    }
    if let call = message.object("function_call") {
      found.append(
        calls.call(nil, tool: call.string("name") ?? "", arguments: arguments(of: call)))
      details.add("function_call", true)
    }
    known += ["tool_calls", "function_call"]
    return found
  }

  /// The arguments of a call, unchanged where they are a string, even if they are no JSON.
  private func arguments(of call: JSONObject) -> String {
    for key in ["arguments", "input"] {
      if let text = call.string(key) { return text }
      if let json = call.json(key) { return json.text }
    }
    return "{}"
  }

  private mutating func output() -> SourceEntry {
    let name = message.string("name") ?? message.string("tool_name")
    // Older programs, and local servers, name the tool that answered and no call.
    let id = message.string("tool_call_id") ?? name.flatMap { calls.newest(of: $0) }
    let tool = name ?? id.flatMap { calls.tool(of: $0) }
    known += ["tool_call_id", "name", "tool_name"]
    if message.string("role") == "function" { details.add("role", "function") }
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    record.basis = message.string("tool_call_id") == nil ? .position : .recorded
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: contents(madeBy: maker))
    record.basis = .recorded
    entry.created = nil
    return record.finish(entry)
  }
}

// MARK: - Contents

extension OpenAIChatMessage {
  /// The segments of the content, which may be a text, a list of parts, or absent.
  private mutating func contents(madeBy maker: Entry.MadeBy) -> [Entry.Segment] {
    guard let content = message["content"] else { return [] }
    switch JSONText.kind(content, in: record.bytes) {
    case .null: return []
    case .string: return record.text(content).map { $0.isEmpty ? [] : [.text($0)] } ?? []
    case .array: break
    default: return [.init(record.opaque(content, type: "content"))]
    }
    var segments: [Entry.Segment] = []
    for (index, part) in (JSONText.elements(content, in: record.bytes) ?? []).enumerated() {
      var rest: [(String, JSON)] = []
      segments.append(segment(part, number: index + 1, madeBy: maker, rest: &rest))
      if !rest.isEmpty { besideParts[index] = rest }
    }
    return segments
  }

  private mutating func segment(
    _ range: Range<Int>, number: Int, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment {
    guard let part = JSONObject(range, in: record.bytes) else {
      if let text = record.text(range) { return .text(text) }
      return .init(record.opaque(range, type: "part"))
    }
    let type = part.string("type") ?? ""
    let content: Entry.Segment.Content?
    var keys = ["type", type]
    switch type {
    case "text", "refusal": content = part[type].flatMap { record.text($0) }.map { .text($0) }
    case "image_url": content = image(part, madeBy: maker, rest: &rest)
    case "input_audio": content = record.attach(inputAudio: part, madeBy: maker)
    case "file": content = file(part, madeBy: maker)
    default: content = nil
    }
    if type == "refusal" { keys.removeFirst() }
    guard let content else {
      record.remark("Part \(number) of a message is kept as it is: '\(type)' is not understood.")
      EmbeddedBase64.cut(range, from: &record)
      return .init(record.opaque(range, type: type.isEmpty ? "part" : type))
    }
    rest += part.others(than: keys).filter { !$0.1.isDefault }
    return .init(content)
  }

  private mutating func image(
    _ part: JSONObject, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment.Content? {
    let inner = part.object("image_url")
    guard let place = inner?["url"] ?? part["image_url"] else { return nil }
    let others = inner?.others(than: ["url"]).filter { !$0.1.isDefault } ?? []
    if !others.isEmpty { rest.append(("image_url", .object(others))) }
    return resource(place, fileName: nil, madeBy: maker)
  }

  /// Attaches the bytes of a data URL, or the address of another URL.
  private mutating func resource(
    _ place: Range<Int>, fileName: String?, madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content? {
    if let url = DataURL(place, in: record.bytes) {
      return record.attach(
        base64: url.payload, mediaType: url.mediaType, label: nil, fileName: fileName,
        madeBy: maker)
    }
    guard let text = JSONText.string(place, in: record.bytes),
      text.prefix(5).lowercased() != "data:"
    else { return nil }
    return record.attach(remote: text, madeBy: maker)
  }

  private mutating func file(_ part: JSONObject, madeBy maker: Entry.MadeBy)
    -> Entry.Segment.Content?
  {
    guard let file = part.object("file") else { return nil }
    if file.kind("file_data") == .string, let data = file["file_data"] {
      if DataURL(data, in: record.bytes) != nil {
        return resource(data, fileName: file.string("filename"), madeBy: maker)
      }
      return record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: nil, label: nil,
        fileName: file.string("filename"), madeBy: maker)
    }
    return file.string("file_id").map { record.attach(remote: $0, madeBy: maker) }
  }

  /// The images that a model made, which routers put beside the text.
  private mutating func images() -> [Entry.Segment] {
    guard let images = message.elements("images") else { return [] }
    known.append("images")
    return images.map { image in
      var rest: [(String, JSON)] = []
      guard let part = JSONObject(image, in: record.bytes),
        let content = self.image(part, madeBy: .response, rest: &rest)
      else {
        EmbeddedBase64.cut(image, from: &record)
        return .init(record.opaque(image, type: "image"))
      }
      return .init(content)
    }
  }

  /// The sound of a spoken answer, after its transcript.
  private mutating func audio() -> [Entry.Segment] {
    guard let audio = message.object("audio"), let data = audio["data"],
      audio.kind("data") == .string,
      let content = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: nil, label: nil,
        madeBy: .response)
    else { return [] }
    known.append("audio")
    let others = audio.others(than: ["data", "transcript"]).filter { !$0.1.isDefault }
    if !others.isEmpty { details.add("audio", .object(others)) }
    let words = audio["transcript"].flatMap { record.text($0) }
    return (words.map { [.text($0)] } ?? []) + [.init(content)]
  }
}
