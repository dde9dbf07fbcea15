import Keepsake

/// Reads one chunk of a prompt of AI Studio: a text, a file, code that ran, or several of them.
struct AIStudioChunk {
  private(set) var said = RecordEntries()
  private(set) var calls: GeminiCalls
  private let chunk: JSONObject
  private let isModel: Bool
  private let isThought: Bool
  /// Members that Keepsake has no field for; the chunk's first entry keeps them.
  private var details = ForeignDetails()

  init(_ chunk: JSONObject, _ calls: GeminiCalls) {
    self.chunk = chunk
    self.calls = calls
    isModel = Self.isModels(chunk)
    isThought = Self.isThought(chunk)
  }

  private static func isModels(_ chunk: JSONObject) -> Bool { chunk.string("role") == "model" }
  private static func isThought(_ chunk: JSONObject) -> Bool {
    chunk.json("isThought")?.boolValue == true
  }

  private var kind: Entry.Kind { isThought ? .reasoning : isModel ? .response : .prompt }
  private var maker: Entry.MadeBy { isModel ? .response : .user }

  /// The tokens that a chunk of the model took. AI Studio counts the thoughts and the answer in separate chunks.
  static func usage(of chunk: JSONObject) -> Usage? {
    guard isModels(chunk), let source = chunk.json("tokenCount"),
      let count = source.intValue.flatMap({ Int(exactly: $0) }), count >= 0
    else { return nil }
    return Usage(
      output: count, reasoning: isThought(chunk) ? count : nil,
      source: .object([("tokenCount", source)]))
  }

  mutating func read(in record: inout RecordReader) {
    content(in: &record)
    for (key, value) in chunk.members { member(key, value, in: &record) }
    said.close(in: &record)
    said.keep(details, format: record.format)
  }

  /// The members that are read before all others, and so are skipped later.
  private static let known = [
    "role", "text", "parts", "isThought", "createTime", "id", "thoughtSignatures",
  ]
  private static let video = "youtubeVideo"

  private mutating func member(_ key: String, _ value: Range<Int>, in record: inout RecordReader) {
    let object = JSONObject(value, in: record.bytes)
    switch (key, object) {
    case _ where Self.known.contains(key) || isModel && key == "tokenCount": break
    case ("executableCode", let code?):
      gemini(in: &record) { content, record in content.run(code, in: &record) }
    case ("codeExecutionResult", let result?):
      gemini(in: &record) { content, record in content.ran(result, in: &record) }
    case ("functionCall", let call?):
      let chunk = chunk
      gemini(in: &record) { content, record in content.call(call, chunk, in: &record) }
    case ("functionResponse", let answer?):
      gemini(in: &record) { content, record in content.returned(answer, in: &record) }
    case ("errorMessage", nil):
      guard let text = record.text(value), !text.isEmpty else { return }
      said.close(in: &record)
      var entry = Entry(.event, segments: [.text(text)], created: nil)
      entry.visibility = .person
      entry.tags = ["error"]
      said.add(entry, in: &record)
    case (_, let file?) where key.hasPrefix("inline"): inline(file, key, value, in: &record)
    case (_, let file?)
    where (key.hasPrefix("drive") || key == Self.video) && file.name("id") != nil:
      remote(file, key, in: &record)
    default:
      if let json = JSONText.value(value, in: record.bytes), !json.isDefault {
        details.add(key, json)
      }
    }
  }
}

// MARK: - Texts

extension AIStudioChunk {
  /// Reads the chunk's text. A chunk may repeat its text in `parts`, as the text came from the model.
  private mutating func content(in record: inout RecordReader) {
    let text = chunk["text"].flatMap { record.text($0) } ?? ""
    let parts = (chunk.elements("parts") ?? []).map { range in
      (range: range, object: JSONObject(range, in: record.bytes))
    }
    let texts = parts.compactMap { $0.object?.string("text") }
    if texts.count < parts.count, text.isEmpty || text == texts.joined() {
      // Images stand between the texts, so the parts give the true order.
      return read(parts.map(\.range), in: &record)
    }
    let words = text.isEmpty ? texts.joined() : text
    if !words.isEmpty { said.add([.text(words)], to: kind, in: &record) }
    var signatures = parts.compactMap {
      $0.object.flatMap { GeminiParts.string($0, "thoughtSignature") }
    }
    for element in chunk.elements("thoughtSignatures") ?? [] {
      if let signature = JSONText.string(element, in: record.bytes) { signatures.append(signature) }
    }
    // A streamed answer has many empty signatures.
    sign(signatures.filter { !$0.isEmpty })
    let others = parts.filter { $0.object?["text"] == nil }.map(\.range)
    if !others.isEmpty { read(others, in: &record) }
  }

  private mutating func sign(_ signatures: [String]) {
    if isThought, signatures.count == 1 {
      said.sign(signatures[0])
    } else if !signatures.isEmpty {
      details.add("thoughtSignatures", .array(signatures.map { .string($0) }))
    }
  }

  private mutating func read(_ parts: [Range<Int>], in record: inout RecordReader) {
    gemini(in: &record) { content, record in
      for part in parts { content.read(part, in: &record) }
    }
  }

  /// Has parts read by the reader of Gemini's content.
  private mutating func gemini(
    in record: inout RecordReader, _ body: (inout GeminiContent, inout RecordReader) -> Void
  ) {
    said.close(in: &record)
    var content = GeminiContent(role: isModel ? "model" : "user", calls)
    body(&content, &record)
    content.end(in: &record)
    calls = content.calls
    said.add(content.entries)
  }
}

// MARK: - Files

extension AIStudioChunk {
  private mutating func inline(
    _ file: JSONObject, _ key: String, _ value: Range<Int>, in record: inout RecordReader
  ) {
    said.begin(kind, in: &record)
    let type = GeminiParts.string(file, "mimeType").map { MediaType($0) }
    let name = file.name("name") ?? file.name("displayName")
    if let data = file["data"], file.kind("data") == .string,
      let content = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: type, label: nil,
        fileName: name, madeBy: maker)
    {
      return said.add([.init(content)], to: kind, in: &record)
    }
    record.remark("The base64 of '\(key)' is damaged; it is kept as it is.")
    EmbeddedBase64.cut(value, from: &record)
    said.add([.init(record.opaque(value, type: key))], to: kind, in: &record)
  }

  /// Attaches a file in Google Drive by its id, or a video on YouTube by its address. Neither is opened.
  private mutating func remote(_ file: JSONObject, _ key: String, in record: inout RecordReader) {
    guard let id = file.name("id") else { return }
    said.begin(kind, in: &record)
    let isVideo = key == Self.video
    let content = record.attach(
      remote: isVideo ? "https://www.youtube.com/watch?v=\(id)" : id,
      mediaType: file.string("mimeType").map { MediaType($0) }, madeBy: maker)
    said.add([.init(content)], to: kind, in: &record)
    let others = file.others(than: ["id"])
    if !others.isEmpty { details.add(key, .object(others)) }
  }
}
