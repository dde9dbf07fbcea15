import Keepsake

/// Reads records that are interactions, requests for interactions, both together, or single steps.
struct InteractionsDecoder: ObjectDecoder {
  static let format = GeminiInteractionsCodec.name
  static let noun = "interaction"

  private var calls = KnownCalls()
  private var said = SaidBefore()
  /// The instructions that were read last. Each request in a log repeats them.
  private var instructions: Entry?

  mutating func read(_ object: JSONObject, at value: Range<Int>, in record: inout RecordReader)
    -> RecordEntries
  {
    var said = RecordEntries()
    said.add(entries(of: object, at: value, in: &record))
    return said
  }

  private mutating func entries(
    of object: JSONObject, at value: Range<Int>, in record: inout RecordReader
  ) -> [SourceEntry] {
    let request = object.object("request")
    let response = object.object("response")
    if request == nil, response == nil {
      return object["input"] == nil && object["steps"] == nil && object.string("object") == nil
        ? step(value, in: &record) : interaction(object, in: &record)
    }
    var entries: [SourceEntry] = []
    if let request { entries += interaction(request, in: &record) }
    if let response { entries += interaction(response, in: &record) }
    return entries
  }

  /// Reads a step that is a record of its own.
  private mutating func step(_ value: Range<Int>, in record: inout RecordReader) -> [SourceEntry] {
    var reader = InteractionSteps(calls)
    reader.read(value, in: &record)
    calls = reader.calls
    return reader.finished(in: &record)
  }

  /// Reads an interaction's input and its steps. The input is skipped where the steps begin with it.
  private mutating func interaction(_ object: JSONObject, in record: inout RecordReader)
    -> [SourceEntry]
  {
    let steps = object.elements("steps") ?? []
    let first = steps.first.flatMap { JSONObject($0, in: record.bytes) }?.string("type")
    var entries: [SourceEntry] = []
    if let input = object["input"], first != "user_input" {
      var reader = InteractionSteps(calls)
      reader.read(input: input, in: &record)
      calls = reader.calls
      // A client that keeps the conversation itself sends all of it with each request, so only new entries are taken.
      entries = said.new(reader.finished(in: &record))
    }
    var reader = InteractionSteps(calls)
    for step in steps { reader.read(step, in: &record) }
    calls = reader.calls
    reader.complete(object)
    let answer = reader.finished(in: &record)
    said.add(answer)
    return begun(entries + answer, by: object)
  }

  /// Puts a request's instructions before its entries, unless they are the instructions that were read last.
  private mutating func begun(_ entries: [SourceEntry], by object: JSONObject) -> [SourceEntry] {
    let text = object.string("system_instruction") ?? ""
    let found = Entry.instructions(
      text.isEmpty ? [] : [.text(text)], tools: object.json("tools"))
    guard let found, !entries.isEmpty,
      found.text != instructions?.text || found.toolDefinitions != instructions?.toolDefinitions
    else { return entries }
    instructions = found
    return [SourceEntry(found)] + entries
  }
}
