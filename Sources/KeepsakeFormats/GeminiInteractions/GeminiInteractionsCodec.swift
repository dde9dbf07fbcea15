import Keepsake

/// Reads interactions of Gemini's Interactions API, requests for them, both together, or their steps.
enum GeminiInteractionsCodec: ReadOnlyCodec {
  static let name = "gemini-interactions"

  static let format = Format(
    name: name, title: "Gemini interaction", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "the object interaction, or steps such as user_input and model_output")

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/request", "/0/request", "/response", "/0/response"].contains { root in
        sketch.text(at: root + "/object") == "interaction"
          || ["/steps", "/input", ""].contains { holdsSteps(sketch, root + $0) }
      } || sketch.text(at: "/type").map(signs.contains) ?? false
    }
  }

  // OpenAI's lists also have items of the type `function_call`, so calls are no sign of this format.
  private static func holdsSteps(_ sketch: HeadSketch, _ list: String) -> Bool {
    (0..<3).contains { sketch.text(at: "\(list)/\($0)/type").map(signs.contains) ?? false }
  }

  private static let signs: Set<String> = [
    "user_input", "model_output", "thought", "function_result",
  ]

  static let identity = RecordIdentity.json()

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let head = try FileHead(file)
    if head.holdsLines { return LinesReading(file, InteractionsDecoder()) }
    if head.document.kind(at: "") == .array {
      return DocumentReading(file, arrayAt: [[]], InteractionsDecoder())
    }
    return WholeReading(file, InteractionsDecoder())
  }
}
