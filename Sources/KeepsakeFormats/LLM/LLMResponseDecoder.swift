import Keepsake

/// Reads the responses of a conversation in the older tables: the prompt of each, and the answer.
struct LLMResponseDecoder: RecordDecoder {
  static let format = LLMCodec.name

  private var calls = LLMCalls()
  /// The instructions that were read last. Each response repeats them.
  private var instructions: [String] = []

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let line = JSONObject(value, in: record.bytes), let response = line.object("response")
    else {
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    let id = response.string("id")
    var said = RecordEntries()
    instruct(line, response, to: &said, in: &record)
    let answered = results(of: line, at: id ?? "response", to: &said, in: &record)
    prompt(line, response, after: answered, to: &said, in: &record)
    answer(line, response, at: id ?? "response", to: &said, in: &record)
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The response is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "response", because: reason))
    }
    said.stamp(response.string("datetime_utc").flatMap(ForeignTime.date), key: id)
    said.complete(model: response.llmModel, usage: response.llmUsage)
    return said.entries
  }
}

// MARK: - What was asked

extension LLMResponseDecoder {
  private mutating func instruct(
    _ line: JSONObject, _ response: JSONObject, to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    var texts = Self.fragments(line, "system_fragments", in: &record)
    if let system = response["system"].flatMap({ record.text($0) }), !system.isEmpty {
      texts.append(system)
    }
    guard !texts.isEmpty, texts != instructions else { return }
    instructions = texts
    said.add(texts.map { Entry.Segment.text($0) }, to: .instructions, in: &record)
    said.close(in: &record)
  }

  /// Adds the results of the calls that the previous response made.
  /// - Returns: The answered calls, and the ids of the results' attachments.
  private mutating func results(
    of line: JSONObject, at place: String, to said: inout RecordEntries,
    in record: inout RecordReader
  ) -> (calls: [Entry.ToolCall], attachments: Set<String>) {
    var answered: [Entry.ToolCall] = []
    var attachments: Set<String> = []
    for (index, element) in (line.elements("tool_results") ?? []).enumerated() {
      guard let result = JSONObject(element, in: record.bytes) else { continue }
      let call = calls.answered(
        id: result.string("tool_call_id"), tool: result.string("name") ?? "",
        at: "\(place)/result/\(index)")
      answered.append(call)
      var output = Entry.toolOutput(callID: call.id, tool: call.tool, segments: [])
      if let text = result["output"].flatMap({ record.text($0) }) {
        output.segments.append(.text(text))
      }
      if !(result.string("exception") ?? "").isEmpty { output.status = .failed }
      let links = result.elements("attachments") ?? []
      output.segments += record.attach(llm: links, madeBy: .toolCall(call))
      attachments.formUnion(links.compactMap { Self.id(of: $0, in: record) })
      said.add(output, in: &record)
    }
    return (answered, attachments)
  }

  /// Adds the prompt of a response.
  ///
  /// llm passes a tool's attachments on to the model with a prompt without text, so attachments that the results have
  /// are skipped there.
  private func prompt(
    _ line: JSONObject, _ response: JSONObject,
    after answered: (calls: [Entry.ToolCall], attachments: Set<String>),
    to said: inout RecordEntries, in record: inout RecordReader
  ) {
    var texts = Self.fragments(line, "prompt_fragments", in: &record)
    if let prompt = response["prompt"].flatMap({ record.text($0) }), !prompt.isEmpty {
      texts.append(prompt)
    }
    said.add(texts.map { Entry.Segment.text($0) }, to: .prompt, in: &record)
    let isPassedOn = texts.isEmpty && !answered.calls.isEmpty
    let links = (line.elements("prompt_attachments") ?? []).filter { link in
      !isPassedOn || !(Self.id(of: link, in: record).map(answered.attachments.contains) ?? false)
    }
    let maker: Entry.MadeBy =
      !isPassedOn ? .user : answered.calls.count == 1 ? .toolCall(answered.calls[0]) : .source
    record.basis = isPassedOn ? .position : .recorded
    said.add(record.attach(llm: links, madeBy: maker), to: .prompt, in: &record)
    record.basis = .recorded
    if isPassedOn { said.hideLast() }
    said.close(in: &record)
  }

  private static func fragments(
    _ line: JSONObject, _ key: String, in record: inout RecordReader
  ) -> [String] {
    (line.elements(key) ?? []).compactMap { link in
      let fragment = JSONObject(link, in: record.bytes)?.object("fragment")
      return fragment?["content"].flatMap { record.text($0) }
    }
  }

  private static func id(of link: Range<Int>, in record: RecordReader) -> String? {
    JSONObject(link, in: record.bytes)?.string("attachment_id")
  }
}

// MARK: - What came

extension LLMResponseDecoder {
  private mutating func answer(
    _ line: JSONObject, _ response: JSONObject, at place: String, to said: inout RecordEntries,
    in record: inout RecordReader
  ) {
    if let reasoning = response["reasoning"].flatMap({ record.text($0) }), !reasoning.isEmpty {
      said.add(Entry(.reasoning, segments: [.text(reasoning)], created: nil), in: &record)
    }
    let text = response["response"].flatMap { record.text($0) } ?? ""
    let calls = line.elements("tool_calls") ?? []
    if !text.isEmpty || calls.isEmpty { said.add([.text(text)], to: .response, in: &record) }
    for (index, element) in calls.enumerated() {
      guard let row = JSONObject(element, in: record.bytes) else { continue }
      let call = self.calls.call(
        id: row.string("tool_call_id"), tool: row.string("name") ?? "",
        arguments: row.string("arguments") ?? "{}", at: "\(place)/call/\(index)")
      said.add(call, in: &record)
    }
    said.close(in: &record)
  }
}
