import Keepsake

/// Reads and writes the JSON of AnyLanguageModel's `Transcript`, which Swift's synthesized `Codable` produces.
enum AnyLanguageModelCodec: SingleRecordCodec {
  static let name = "anylanguagemodel"

  static let format = Format(
    name: name, title: "AnyLanguageModel transcript", otherNames: ["alm"],
    fileExtensions: ["json"], canRead: true, canWrite: true,
    artifacts: [.inline, .none], resumes: true,
    sign: "entries that are each named by their kind, as Swift encodes them",
    leavesOut: Losses.ofMessages.union([.reasoning, .grouping]).subtracting([.structures]))

  /// The versions of the format, of which there is only one.
  enum Form: Sendable, Equatable { case only }

  static let kinds = ["instructions", "prompt", "toolCalls", "toolOutput", "response"]

  static func recognises(_ head: FileHead) -> Bool {
    kinds.contains { head.document.kind(at: "/entries/0/\($0)/_0") == .object }
  }

  static func forms(for name: String) -> [Form] { [.only] }

  static func form(of envelope: JSON, first record: HeadSketch) -> Form? { .only }

  static func envelope(_ form: Form) -> (prefix: String, suffix: String) {
    (#"{"entries":["#, "]}")
  }
}
