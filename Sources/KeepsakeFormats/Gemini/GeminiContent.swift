import Keepsake

/// Reads the parts of one content of Gemini, which holds thoughts, texts, calls and outputs, as an entry each.
struct GeminiContent {
  private(set) var entries: [SourceEntry] = []
  private(set) var calls: GeminiCalls
  private let role: String
  private var open: Entry?
  /// Details of the open entry's parts that Keepsake has no field for, by the part's index.
  private var others: [Int: [(String, JSON)]] = [:]

  init(role: String, _ calls: GeminiCalls) {
    self.role = role
    self.calls = calls
  }

  private var said: Entry.Kind { role == "model" ? .response : .prompt }
  private var maker: Entry.MadeBy { role == "model" ? .response : .user }

  mutating func read(_ range: Range<Int>, in record: inout RecordReader) {
    guard let part = JSONObject(range, in: record.bytes) else {
      if let text = record.text(range) { return add(.text(text), .prompt, in: &record) }
      return add(record.opaque(range, type: "part"), said, in: &record)
    }
    if let call = object(part, "functionCall", in: record) {
      return self.call(call, part, in: &record)
    }
    if let answer = object(part, "functionResponse", in: record) {
      return returned(answer, in: &record)
    }
    if let code = object(part, "executableCode", in: record) {
      return run(code, in: &record)
    }
    if let result = object(part, "codeExecutionResult", in: record) {
      return ran(result, in: &record)
    }
    let isThought = part.json("thought")?.boolValue == true
    let kind: Entry.Kind = isThought ? .reasoning : said
    let signature = GeminiParts.string(part, "thoughtSignature")
    // A stream may give the signature in a part of its own, whose text is empty.
    if part.string("text") == "", let signature, open != nil {
      return keep(signature, at: max(0, (open?.segments.count ?? 0) - 1))
    }
    begin(kind, in: &record)
    let content = GeminiParts.content(part, range, madeBy: maker, in: &record)
    add(content, kind, in: &record)
    if let signature {
      if isThought {
        open?.signature = signature
      } else {
        keep(signature, at: (open?.segments.count ?? 1) - 1)
      }
    }
  }

  mutating func end(in record: inout RecordReader) {
    guard var entry = open else { return }
    if !others.isEmpty {
      var details = ForeignDetails()
      details.add("parts", others)
      entry.metadata = details.metadata(format: record.format)
      others = [:]
    }
    entries.append(record.finish(entry))
    open = nil
  }

  private func object(_ part: JSONObject, _ name: String, in record: RecordReader) -> JSONObject? {
    GeminiParts.member(part, name).flatMap { JSONObject($0, in: record.bytes) }
  }

  private mutating func keep(_ signature: String, at index: Int) {
    others[index] = [("thoughtSignature", .string(signature))]
  }

  /// Opens an entry unless one of this kind is open. The one before it ends first, so that attachments go to the
  /// right entry.
  private mutating func begin(_ kind: Entry.Kind, in record: inout RecordReader) {
    if open?.kind == kind { return }
    end(in: &record)
    open = Entry(kind, created: nil)
  }

  private mutating func add(
    _ content: Entry.Segment.Content, _ kind: Entry.Kind, in record: inout RecordReader
  ) {
    begin(kind, in: &record)
    open?.segments.append(.init(content))
  }
}

// MARK: - Calls, and what they returned

extension GeminiContent {
  mutating func call(
    _ call: JSONObject, _ part: JSONObject, in record: inout RecordReader
  ) {
    begin(.toolCalls, in: &record)
    let made = calls.call(
      call.string("id"), tool: call.string("name") ?? "", arguments: call.json("args")?.text ?? "{}"
    )
    open?.toolCalls.append(made)
    if let signature = GeminiParts.string(part, "thoughtSignature") {
      keep(signature, at: (open?.toolCalls.count ?? 1) - 1)
    }
  }

  mutating func returned(_ answer: JSONObject, in record: inout RecordReader) {
    end(in: &record)
    let tool = answer.string("name")
    let (id, basis) = calls.answered(answer.string("id"), tool: tool ?? "")
    let maker: Entry.MadeBy = id.map { .toolCall(.init(id: $0, tool: tool ?? "")) } ?? .source
    var entry = Entry.toolOutput(callID: id, tool: tool, segments: [])
    entry.created = nil
    record.basis = basis
    entry.segments = GeminiParts.returned(answer, madeBy: maker, in: &record)
    record.basis = .recorded
    open = entry
    end(in: &record)
  }

  /// Adds the code that the service ran as a call of the service's own tool.
  mutating func run(_ code: JSONObject, in record: inout RecordReader) {
    begin(.toolCalls, in: &record)
    let made = calls.call(
      code.string("id"), tool: GeminiParts.codeTool,
      arguments: JSON.object(code.others(than: ["id"])).text)
    open?.toolCalls.append(made)
  }

  mutating func ran(_ result: JSONObject, in record: inout RecordReader) {
    end(in: &record)
    let id = calls.answered(result.string("id"), tool: GeminiParts.codeTool).id
    var entry = Entry.toolOutput(callID: id, tool: GeminiParts.codeTool, segments: [])
    entry.created = nil
    if let text = result["output"].flatMap({ record.text($0) }) { entry.segments = [.text(text)] }
    var details = ForeignDetails()
    details.add(result.others(than: ["id", "output"]))
    entry.metadata = details.metadata(format: record.format)
    open = entry
    end(in: &record)
  }
}

extension [SourceEntry] {
  /// Joins neighbouring entries of a streamed answer, which arrives in pieces, into one.
  func withJoinedTexts() -> [SourceEntry] {
    reduce(into: []) { joined, next in
      guard let last = joined.last, last.entry.kind == next.entry.kind,
        [.response, .reasoning].contains(next.entry.kind), last.entry.metadata == nil,
        next.entry.metadata == nil || last.entry.segments.isEmpty
      else { return joined.append(next) }
      joined[joined.count - 1] = last.continued(by: next)
    }
  }
}
