#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A fault in a JSON text, in a value of it, or in a JSON Pointer, with the byte of the fault.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which the fault was noticed, counted from 0.
  public let offset: Int

  let reason: Reason

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// A sentence that says what is wrong, where, and what would be right.
  public var message: String {
    switch reason.subject {
    case .text: "Not valid JSON at byte \(offset): \(reason.explanation)."
    case .value: "Not the JSON expected at byte \(offset): \(reason.explanation)."
    case .pointer: "Not a JSON Pointer at byte \(offset): \(reason.explanation)."
    case .number: "Can't write a number as JSON: \(reason.explanation)."
    }
  }

  /// The message.
  public var description: String { message }

  /// Returns the fault with its offset in a longer text, of which this text is a part.
  package func moved(by distance: Int) -> JSONError { JSONError(reason, at: offset + distance) }
}

extension JSONError {
  /// The kinds of faults, without texts, because an allocation would be costly where errors are made.
  enum Reason: Sendable, Hashable {
    case endsEarly
    case byteOrderMark
    case noValue
    case noKey
    case noColon
    case noCommaInObject
    case noCommaInArray
    case contentAfterValue
    case controlCharacter
    case unknownEscape
    case shortUnicodeEscape
    case notUTF8
    case leadingZero
    case noDigit
    case tooDeep(limit: Int)
    case wrongKind(expected: JSON.Kind)
    case notInt64
    case beyondDouble
    case notFinite
    case pointerWithoutSlash
    case pointerEscape
  }
}

extension JSONError.Reason {
  /// The subject of a fault, which decides how its message begins.
  fileprivate enum Subject {
    case text, value, pointer, number
  }

  fileprivate var subject: Subject {
    switch self {
    case .wrongKind, .notInt64, .beyondDouble: .value
    case .pointerWithoutSlash, .pointerEscape: .pointer
    case .notFinite: .number
    default: .text
    }
  }

  fileprivate var explanation: String {
    switch self {
    case .endsEarly: "the text ends in the middle of a value; it may have been cut off"
    case .byteOrderMark: "a byte order mark; remove the bytes EF BB BF"
    case .noValue: "a value was expected (an object, array, string, number, true, false or null)"
    case .noKey: "a key in double quotes was expected"
    case .noColon: "':' was expected after the key"
    case .noCommaInObject: "',' or '}' was expected"
    case .noCommaInArray: "',' or ']' was expected"
    case .contentAfterValue: "something follows the value; a text holds one value only"
    case .controlCharacter: "a control character in a string; write it as an escape such as \\n"
    case .unknownEscape: "an unknown escape; after '\\' comes one of \" \\ / b f n r t u"
    case .shortUnicodeEscape: "'\\u' needs four hexadecimal digits"
    case .notUTF8: "the string is not UTF-8; convert the text to UTF-8 first"
    case .leadingZero: "a number can't begin with a superfluous zero"
    case .noDigit: "the number lacks a digit here"
    case .tooDeep(let limit): "nested more than \(limit) levels deep; flatten the value"
    case .wrongKind(let expected): "\(expected.description) was expected"
    case .notInt64: "the number is not a whole number of 64 bits"
    case .beyondDouble: "the number is too large for a double"
    case .notFinite: "it is infinite or not a number; JSON has finite numbers only"
    case .pointerWithoutSlash: "it must be empty or begin with '/'"
    case .pointerEscape: "'~' must be followed by 0 or 1; write '~' itself as '~0'"
    }
  }
}

extension JSONError: LocalizedError {
  /// The message, which `localizedDescription` gives as well.
  public var errorDescription: String? { message }
}
