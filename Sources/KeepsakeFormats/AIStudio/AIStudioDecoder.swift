import Keepsake

/// Reads the chunks of a prompt of Google AI Studio.
struct AIStudioDecoder: ObjectDecoder {
  static let format = AIStudioCodec.name
  static let noun = "chunk"

  let facts: SourceFacts
  private let model: String?
  /// The system instruction, until it is placed before the first entry.
  private var instructions: Entry?
  private var calls = GeminiCalls()

  /// - Parameter envelope: The JSON around the chunks; nil where it is damaged.
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

  mutating func read(_ chunk: JSONObject, at value: Range<Int>, in record: inout RecordReader)
    -> RecordEntries
  {
    var reader = AIStudioChunk(chunk, calls)
    reader.read(in: &record)
    calls = reader.calls
    return reader.said
  }

  mutating func complete(_ said: inout RecordEntries, of chunk: JSONObject) {
    said.stamp(chunk.string("createTime").flatMap(ForeignTime.date), key: chunk.name("id"))
    said.complete(model: model, usage: AIStudioChunk.usage(of: chunk))
    if let instructions, !said.entries.isEmpty {
      said.precede(with: instructions)
      self.instructions = nil
    }
  }
}
