/// The reason why a coding agent, or its service, refuses to continue a conversation.
///
/// There is a case for each rule that was seen broken. The rules are those of the services' documentation and error
/// messages as of autumn 2026.
package enum RescueCause: String, Sendable, Hashable, CaseIterable {
  case callUnanswered, resultWithoutCall, idTwice, idMissing, resultNotFirst
  case textEmpty
  case thinkingUnsigned, thinkingLast, thinkingRefused
  case imageDamaged, imageType, imageTooLarge, imageTooWide, imageTooWideAmongMany, imagesTooMany
  case documentRefused
  case requestTooLarge, promptTooLong
  case surrogate, controlCharacter
  case lineDamaged, lineUnreadable, chainBroken, headerMissing, ordinalBroken, folderMoved

  /// A short name of the reason, for a heading.
  package var title: String { facts.title }

  /// The broken rule, as a sentence.
  package var rule: String { facts.rule }

  /// The first version of Claude Code that heals the fault by itself; nil where none does.
  var healedByClaudeCode: String? { facts.healed }

  private var facts: (title: String, rule: String, healed: String?) {
    switch self {
    case .callUnanswered:
      ("call without a result", "The next message answers every tool call.", "2.1.218")
    case .resultWithoutCall:
      ("result without a call", "A result answers a call of the message before it.", "2.1.69")
    case .idTwice: ("id that comes twice", "The ids of calls are unique.", "2.1.19")
    case .idMissing: ("call or result without an id", "Calls and results have an id.", nil)
    case .resultNotFirst:
      ("result behind other content", "Results stand before all else in a message.", nil)
    case .textEmpty: ("empty text", "A text is not empty, and not only white space.", "2.1.92")
    case .thinkingUnsigned: ("thinking without a signature", "Thinking is signed.", nil)
    case .thinkingLast:
      ("thinking at the end of a message", "A message does not end with thinking.", "2.1.156")
    case .thinkingRefused:
      (
        "thinking that was refused",
        "Thinking is of a model and an account that takes it, and unchanged.", "2.1.152"
      )
    case .imageDamaged: ("image that can't be read", "An image is whole, and is one.", "2.1.172")
    case .imageType:
      ("image of the wrong type", "An image is the JPEG, PNG, GIF or WebP that it is called.", nil)
    case .imageTooLarge: ("image that is too large", "The base64 of an image has a limit.", nil)
    case .imageTooWide: ("image with too many pixels", "The side of an image has a limit.", nil)
    case .imageTooWideAmongMany:
      (
        "image with too many pixels among many", "Among many images each has to be smaller.",
        "2.1.126"
      )
    case .imagesTooMany: ("too many images", "The number of images and pages has a limit.", nil)
    case .documentRefused:
      ("document that can't be sent", "A PDF has no password, and not too many pages.", "2.1.31")
    case .requestTooLarge: ("request that is too large", "A request has a limit.", nil)
    case .promptTooLong:
      ("conversation that is too long", "All of it fits into the model's window.", nil)
    case .surrogate: ("half a character", "Text is valid Unicode.", "2.1.132")
    case .controlCharacter:
      ("control character", "Text holds no control characters but breaks, tabs and escapes.", nil)
    case .lineDamaged: ("damaged line", "Every line is an object of JSON.", "2.1.121")
    case .lineUnreadable:
      ("line that can't be understood", "A line has the shape of its kind.", nil)
    case .chainBroken:
      ("broken chain", "A line names the line before it, up to the first.", "2.1.108")
    case .headerMissing:
      ("no header", "The first line says which session it is, and where it was held.", nil)
    case .ordinalBroken: ("numbers with a gap", "Lines are numbered from 0, each once.", nil)
    case .folderMoved:
      ("folder that has moved", "A conversation lies with the folder that it was held in.", nil)
    }
  }
}
