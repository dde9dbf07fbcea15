import Keepsake

/// Reads the chunks of a prompt of Google AI Studio.
struct AIStudioDecoder: RecordDecoder {
  static let format = AIStudioCodec.name

  let facts: SourceFacts
  private let model: String?
  /// What is to stand before the first entry.
  private var instructions: Entry?
  private var calls = GeminiCalls()

  /// - Parameter envelope: What stands around the chunks; nil where it is damaged.
  init(_ envelope: JSON?) {
    facts = SourceFacts(
      id: envelope?["id"]?.stringValue, title: envelope?["displayName"]?.stringValue)
    model = envelope?["runSettings"]?["model"]?.stringValue
    let system = envelope?["systemInstruction"]
    let pieces = system?["parts"]?.arrayValue ?? system.map { [$0] } ?? []
    let texts = pieces.compactMap { $0.stringValue ?? $0["text"]?.stringValue }
      .filter { !$0.isEmpty }
    instructions = .instructions(texts.map { .text($0) }, tools: nil)
  }

  mutating func entries(of record: inout RecordReader, at value: Range<Int>) -> [SourceEntry] {
    guard let chunk = JSONObject(value, in: record.bytes) else {
      record.remark("The chunk is no object; it is kept as it is.")
      EmbeddedBase64.cut(value, from: &record)
      return []
    }
    record.noteRepeated(chunk)
    var reader = AIStudioChunk(chunk, calls)
    reader.read(in: &record)
    calls = reader.calls
    var said = reader.said
    EmbeddedBase64.cut(value, from: &record)
    if !record.fits(value) {
      let reason = "The chunk is too large for an entry; it is kept as it is."
      said.replace(with: record.whole(value, type: "chunk", because: reason))
    }
    said.stamp(chunk.string("createTime").flatMap(ForeignTime.date), key: chunk.name("id"))
    said.complete(model: model, usage: reader.usage)
    if let instructions, !said.entries.isEmpty {
      said.precede(with: instructions)
      self.instructions = nil
    }
    return said.entries
  }
}
