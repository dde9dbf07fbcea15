import Keepsake

/// Reads and writes OpenAI's Chat Completions, which most services and local servers speak, and its files for
/// fine-tuning.
enum OpenAIChatCodec: WireCodec, CollectionCodec {
  static let name = "openai-chat"

  static let format = Format(
    name: name, title: "OpenAI Chat Completions conversation",
    otherNames: ["openai", "fine-tuning"],
    fileExtensions: ["json", "jsonl"], canRead: true, canWrite: true,
    artifacts: [.inline, .none], holdsSeveral: true, resumes: true,
    sign: "messages with a role",
    leavesOut: Losses.ofMessages.union([.reasoning, .signatures, .grouping, .moved]))

  static let listKey = "messages"
  static let identity = RecordIdentity.json()

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/request", "/0/request", "/body", "/0/body"].contains { root in
        sketch.has(root + "/messages/0/role")
          || sketch.text(at: root + "/object")?.hasPrefix("chat.completion") ?? false
      } || sketch.has("/0/role", "/0/content")
    }
  }

  typealias Reader = OpenAIChatReader

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> OpenAIChatEncoder {
    OpenAIChatEncoder(form)
  }

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    try await write([session], as: name, options, into: output)
  }

  /// Writes one session as a document, and several as lines for training.
  ///
  /// Under the name `fine-tuning`, a single session is written as a line as well.
  static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    if sessions.count == 1, name != Self.training {
      return try await write(sessions[0], as: name, options, onOneLine: false, into: output)
    }
    var losses = Losses()
    for session in sessions {
      losses.add(try await write(session, as: name, options, onOneLine: true, into: output))
      try output.take([0x0A])
    }
    return losses
  }

  private static let training = "fine-tuning"

  /// The forms for writing. A line of a training file is always a request.
  static func forms(for name: String) -> [WireForm] {
    name == training ? [.request] : [.request, .list]
  }

  static func isMessage(_ record: HeadSketch) -> Bool { record.has("/role") }
}
