#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Converts the text of an option to a value, and describes the accepted texts.
struct Reading<Value: Sendable>: Sendable {
  /// The words after "takes", as in "'--last' takes a whole number from 1 on, not 'x'."
  let wanted: String
  /// A further sentence for the error message; empty if there is none.
  var hint = ""
  /// The accepted texts; empty if any text may be accepted.
  var choices: [String] = []
  /// Further texts that are accepted, so that the command can explain why it refuses them.
  var refused: [String] = []
  let read: @Sendable (String) -> Value?

  func value(of text: String, for name: String) throws(UsageError) -> Value {
    if let value = read(text) { return value }
    throw UsageError(
      message: "'\(name)' takes \(wanted), not '\(text)'.\(hint.isEmpty ? "" : " \(hint)")")
  }

  /// Makes the declaration of an option with such values.
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

  /// Reads one of some texts, or a text that the command itself refuses.
  static func oneOf(_ choices: [String], refusing refused: [String] = []) -> Reading {
    Reading(wanted: "a choice", choices: choices, refused: refused) { $0 }
  }

  /// Reads a folder as its absolute path.
  static var folder: Reading {
    Reading(wanted: "a folder") { URL(filePath: $0).absoluteURL.path }
  }
}

extension Reading where Value: RawRepresentable, Value.RawValue == String {
  /// Reads one of some values by its text.
  static func oneOf(_ values: [Value]) -> Reading {
    Reading(wanted: "a choice", choices: values.map(\.rawValue)) { Value(rawValue: $0) }
  }
}

extension Reading where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// Reads any case of an enumeration by its text.
  static var choice: Reading { .oneOf(Array(Value.allCases)) }
}

extension Reading where Value == Int {
  /// Reads a whole number with a least value.
  static func number(atLeast least: Int = 1) -> Reading {
    Reading(wanted: "a whole number from \(least) on") { text in
      Int(text).flatMap { $0 >= least ? $0 : nil }
    }
  }
}

extension Reading where Value: LosslessStringConvertible {
  /// Reads the cursor at which a page ended.
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
