import Keepsake

/// What a server says when it refuses: the code and the message of its XML, or only its status.
struct ObjectRefusal: Sendable {
  /// The code, such as `NoSuchKey`; empty where there is none.
  let code: String
  /// The status, the code and the message, for people. It may repeat keys, which the reader has to hide.
  let said: String

  init(_ answer: ObjectAnswer) {
    // The error of a part of a call comes with a good status, too.
    let found = Markup(answer.body).flatMap { $0.name == "Error" ? $0 : nil }
    code = KeepsakeError.plain(found?.text(of: "Code") ?? "")
    let message = KeepsakeError.plain(found?.text(of: "Message") ?? "")
    let parts = [code, message].filter { !$0.isEmpty }
    said = (["status \(answer.status)"] + parts).joined(separator: ", ")
  }
}
