import Keepsake

/// Reads and writes the JSON of Apple's `Transcript`: OS 26 (version 1), OS 27 (version "1.1"), and as `fm` wraps it.
package enum AppleCodec: SingleRecordCodec {
  static let name = "apple"

  static let format = Format(
    name: name, title: "Apple Foundation Models transcript", otherNames: ["apple26", "apple27"],
    fileExtensions: ["json"], canRead: true, canWrite: true,
    artifacts: [.inline, .none], resumes: true,
    sign: "the type FoundationModels.Transcript, or a transcript with entries",
    leavesOut: Losses.ofMessages.union([.grouping]).subtracting([.structures]))

  /// A version of Apple's JSON.
  package enum Form: Sendable, Equatable {
    /// Version 1 of OS 26, which has no reasoning and no images.
    case os26
    /// Version "1.1" of OS 27.
    case os27
  }

  static func recognises(_ head: FileHead) -> Bool {
    let document = head.document
    return document.text(at: "/type") == "FoundationModels.Transcript"
      || document.kind(at: "/transcript/entries") == .array
      || document.text(at: "/transcript/type") == "FoundationModels.Transcript"
      || document.kind(at: "/transcript/transcript/entries") == .array
  }

  // MARK: - Forms

  static func forms(for name: String) -> [Form] {
    switch name {
    case "apple26": [.os26]
    case "apple27": [.os27]
    default: [.os27, .os26]
    }
  }

  static func form(of envelope: JSON, first record: HeadSketch) -> Form? {
    let wrapped = envelope["transcript"]?["transcript"]?["entries"] != nil
    guard let version = (wrapped ? envelope["transcript"] : envelope)?["version"] else {
      return nil
    }
    if version.intValue == 1 { return .os26 }
    return version.stringValue == "1.1" ? .os27 : nil
  }

  static func envelope(_ form: Form) -> (prefix: String, suffix: String) {
    let version = form == .os26 ? "1" : #""1.1""#
    return (
      #"{"type":"FoundationModels.Transcript","version":\#(version),"transcript":{"entries":["#,
      "]}}"
    )
  }
}
