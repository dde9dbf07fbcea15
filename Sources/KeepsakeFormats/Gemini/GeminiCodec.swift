import Keepsake

/// Reads and writes the contents of Gemini's generateContent.
///
/// Google's libraries spell members in two ways (`inlineData`, `inline_data`). Both are read, and the service's own
/// spelling is written.
enum GeminiCodec: WireCodec {
  static let name = "gemini"

  static let format = Format(
    name: name, title: "Gemini conversation", fileExtensions: ["json"], canRead: true,
    canWrite: true, artifacts: [.inline, .none], resumes: true,
    sign: "contents with parts, or candidates",
    leavesOut: Losses.ofMessages.union([.signatures, .grouping, .moved]))

  static let listKey = "contents"
  static let identity = RecordIdentity.json()

  typealias Reader = GeminiReader

  static func recognises(_ head: FileHead) -> Bool {
    (head.lines + [head.document]).contains { sketch in
      ["", "/0", "/request", "/0/request", "/response", "/0/response"].contains { root in
        sketch.has(root + "/contents/0/parts") || sketch.has(root + "/contents/parts")
          || sketch.has(root + "/candidates/0")
      }
        || ["", "/0"].contains {
          sketch.has($0 + "/parts", $0 + "/role") && !sketch.has($0 + "/id")
        }
    }
  }

  static func encoder(_ form: WireForm, beside sheet: SourceSheet?) -> GeminiEncoder {
    GeminiEncoder(form, isNew: sheet == nil)
  }

  static func isMessage(_ record: HeadSketch) -> Bool { record.has("/parts") }
}
