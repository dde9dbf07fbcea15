import KeepsakeFiles
import Keepsake

/// The rules by which Google's service refuses messages of Gemini CLI, from its documentation and users' reports.
///
/// The rules look at messages alone, and do not depend on how Gemini CLI stores or heals them.
struct GeminiRules {
  /// A broken rule.
  struct Fault {
    let cause: RescueCause
    /// The index of the message.
    let message: Int
    /// The index of the part in the message; nil where the fault concerns no part.
    var part: Int?
    /// The index of the call in the message's own list; nil where the fault concerns none.
    var call: Int?
    /// A sentence that says what is wrong.
    let detail: String
  }

  let limits: RescueLimits

  func faults(in messages: [GeminiMessage]) -> [Fault] {
    parts(of: messages) + pairing(in: messages)
  }

  /// Checks that attachments are complete, and that signatures are base64.
  func parts(of messages: [GeminiMessage]) -> [Fault] {
    var faults: [Fault] = []
    for (index, message) in messages.enumerated() {
      for (number, part) in message.parts.enumerated() {
        if part.isSignatureDamaged {
          faults.append(
            Fault(
              cause: .thinkingUnsigned, message: index, part: number,
              detail: "Its signature is no base64."))
        }
        switch part.media?.fault {
        case .notBase64, .empty, .cutOff, .notAnImage:
          faults.append(
            Fault(
              cause: .imageDamaged, message: index, part: number,
              detail: part.media?.description ?? ""))
        default: break
        }
      }
    }
    return faults
  }

  /// Checks that every call has a response in the next message, and that every response has a call in the message
  /// before.
  func pairing(in messages: [GeminiMessage]) -> [Fault] {
    let said = messages.indices.filter { messages[$0].isSaid }
    var faults: [Fault] = []
    for (place, index) in said.enumerated() {
      let message = messages[index]
      if message.isModel, !message.saysCalls {
        for (number, call) in message.calls.enumerated() where !call.isAnswered {
          let detail = "\(call.name ?? "A tool") was called, and nothing came of it."
          faults.append(
            Fault(cause: .callUnanswered, message: index, call: number, detail: detail))
        }
      }
      if message.isModel {
        let next = place + 1 < said.count ? messages[said[place + 1]] : nil
        for number in Self.unanswered(message, by: next) {
          let detail =
            "\(message.parts[number].name ?? "A tool") was called, and nothing came of it."
          faults.append(
            Fault(cause: .callUnanswered, message: index, part: number, detail: detail))
        }
      } else {
        let before = place > 0 ? messages[said[place - 1]] : nil
        for number in Self.unasked(message, after: before) {
          let detail = "\(message.parts[number].name ?? "A tool") was not called just before."
          faults.append(
            Fault(cause: .resultWithoutCall, message: index, part: number, detail: detail))
        }
      }
    }
    return faults
  }

  /// The indices of a message's calls without a response in the next message. Calls without an id are matched by
  /// name.
  static func unanswered(_ message: GeminiMessage, by next: GeminiMessage?) -> [Int] {
    var responses = next.map { $0.isModel ? [] : $0.parts.filter { $0.kind == .response } } ?? []
    return message.parts.indices.filter { index in
      let call = message.parts[index]
      guard call.kind == .call else { return false }
      guard let place = responses.firstIndex(where: { fits($0, call) }) else { return true }
      responses.remove(at: place)
      return false
    }
  }

  /// The indices of a message's responses without a call in the message before.
  static func unasked(_ message: GeminiMessage, after before: GeminiMessage?) -> [Int] {
    var calls = before.map { $0.isModel ? $0.parts.filter { $0.kind == .call } : [] } ?? []
    return message.parts.indices.filter { index in
      let response = message.parts[index]
      guard response.kind == .response else { return false }
      guard let place = calls.firstIndex(where: { fits(response, $0) }) else { return true }
      calls.remove(at: place)
      return false
    }
  }

  private static func fits(_ response: GeminiSentPart, _ call: GeminiSentPart) -> Bool {
    if let id = response.id, let called = call.id { return id == called }
    return response.name == call.name
  }
}
