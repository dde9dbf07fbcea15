import Keepsake

/// Reads LangChain's messages as its functions write them to JSON: `messages_to_dict`, or `dumpd` with class names.
enum LangChainCodec: ReadOnlyCodec {
  static let name = "langchain"

  static let format = Format(
    name: name, title: "list of messages of LangChain", fileExtensions: ["json"], canRead: true,
    artifacts: [.inline],
    sign: "messages with a type and data, or with lc and kwargs")

  static func recognises(_ head: FileHead) -> Bool {
    ["", "/messages"].contains { list in
      (0..<3).contains { isMessage(head.document, "\(list)/\($0)") }
    }
  }

  private static func isMessage(_ sketch: HeadSketch, _ place: String) -> Bool {
    if sketch.text(at: place + "/type") == "constructor" {
      return sketch.has(place + "/lc") && sketch.kind(at: place + "/kwargs") == .object
        && sketch.kind(at: place + "/id") == .array
    }
    return sketch.kind(at: place + "/data") == .object
      && sketch.text(at: place + "/type").flatMap(LangChainMessage.Role.init) != nil
  }

  static let identity = RecordIdentity.json()

  private static let paths = [[], ["messages"]]

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    DocumentReading(file, arrayAt: paths, LangChainDecoder())
  }
}
