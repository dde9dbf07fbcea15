#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// How the text that an option is given becomes a value, and what is said of a text that does not.
struct Reading<Value: Sendable>: Sendable {
  /// The text behind "takes", as in "'--last' takes a whole number from 1 on, not 'x'."
  let wanted: String
  /// A sentence behind that, where there is more to say.
  var hint = ""
  /// The texts that there are; any, where none is named.
  var choices: [String] = []
  /// Texts beside the choices that the command takes, to say why it can't do what they ask for.
  var refused: [String] = []
  let read: @Sendable (String) -> Value?

  func value(of text: String, for name: String) throws(UsageError) -> Value {
    if let value = read(text) { return value }
    throw UsageError(
      message: "'\(name)' takes \(wanted), not '\(text)'.\(hint.isEmpty ? "" : " \(hint)")")
  }

  /// An option whose values are read so, as help shows it.
  func option(
    _ name: String, short: String?, value: String, repeats: Bool = false, help: String
  ) -> Declaration.Parameter {
    .option(
      Declaration.Option(
        name: name, short: short, value: value, choices: choices, refused: refused,
        repeats: repeats, help: help))
  }
}

extension Reading where Value == String {
  static var text: Reading { Reading(wanted: "a text") { $0 } }

  /// One of these texts, or one that is refused by the command itself.
  static func oneOf(_ choices: [String], refusing refused: [String] = []) -> Reading {
    Reading(wanted: "a choice", choices: choices, refused: refused) { $0 }
  }

  /// A folder's absolute path.
  static var folder: Reading {
    Reading(wanted: "a folder") { URL(filePath: $0).absoluteURL.path }
  }
}

extension Reading where Value: RawRepresentable, Value.RawValue == String {
  /// One of these values, by the text that it has.
  static func oneOf(_ values: [Value]) -> Reading {
    Reading(wanted: "a choice", choices: values.map(\.rawValue)) { Value(rawValue: $0) }
  }
}

extension Reading where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of all values.
  static var choice: Reading { .oneOf(Array(Value.allCases)) }
}

extension Reading where Value == Int {
  /// A whole number that is at least so large.
  static func number(atLeast least: Int = 1) -> Reading {
    Reading(wanted: "a whole number from \(least) on") { text in
      Int(text).flatMap { $0 >= least ? $0 : nil }
    }
  }
}

extension Reading where Value: LosslessStringConvertible {
  /// Where a page ended.
  static var cursor: Reading {
    Reading(wanted: "what a page gave at its end") { Value($0) }
  }
}

extension Reading where Value == URL {
  static var file: Reading { Reading(wanted: "a file") { URL(filePath: $0) } }
}

extension Reading where Value == MediaType {
  static var mediaType: Reading { Reading(wanted: "a media type") { MediaType($0) } }
}

extension Reading where Value == Artifact.ID {
  static var artifact: Reading {
    Reading(wanted: "the whole name of an artifact, 'sha256:' and 64 digits") { Artifact.ID($0) }
  }
}
