#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The arguments of a call, checked against what the tool takes.
///
/// Some clients send numbers and booleans as strings: `"5"` and `"true"` are taken for what they mean. `null` counts as not
/// given.
struct ToolArguments: Sendable {
  private var texts: [String: String] = [:]
  private var numbers: [String: Int] = [:]
  private var truths: [String: Bool] = [:]

  /// Checks arguments.
  ///
  /// - Throws: A ``ToolError`` that names the first argument that is unknown, missing or wrong, and what the tool takes.
  init(_ json: JSON, of parameters: [ToolParameter]) throws(ToolError) {
    guard let members = json.members else {
      throw ToolError("The arguments are no object. \(Self.known(parameters))")
    }
    for (name, value) in members {
      guard let parameter = parameters.first(where: { $0.name == name }) else {
        throw ToolError(
          "There is no argument '\(VisibleText.line(name, limit: 40))'. \(Self.known(parameters))")
      }
      if value.isNull { continue }
      try take(value, for: parameter)
    }
    for parameter in parameters where parameter.isRequired {
      guard has(parameter.name) else {
        throw ToolError("The argument '\(parameter.name)' is missing: \(parameter.about)")
      }
    }
  }

  private static func known(_ parameters: [ToolParameter]) -> String {
    let names = parameters.map { $0.isRequired ? "\($0.name) (required)" : $0.name }
    return "The tool takes: \(names.joined(separator: ", "))."
  }

  private mutating func take(_ value: JSON, for parameter: ToolParameter) throws(ToolError) {
    let name = parameter.name
    switch parameter.kind {
    case .text:
      // A digest that is all digits may come as a number.
      guard let text = value.stringValue ?? (value.kind == .number ? value.text : nil) else {
        throw ToolError("'\(name)' takes a string, not \(value.kind).")
      }
      texts[name] = text
    case .choice(let choices):
      guard let text = value.stringValue, choices.contains(text) else {
        throw ToolError("'\(name)' is one of \(choices.joined(separator: ", ")).")
      }
      texts[name] = text
    case .integer(let range):
      let number = value.intValue ?? value.stringValue.flatMap { Int64($0) }
      guard let number, let number = Int(exactly: number), range.contains(number) else {
        let most = range.upperBound < ToolParameter.unlimited ? " to \(range.upperBound)" : " on"
        throw ToolError("'\(name)' takes a whole number from \(range.lowerBound)\(most).")
      }
      numbers[name] = number
    case .bool:
      let words = ["true": true, "false": false]
      guard let truth = value.boolValue ?? value.stringValue.flatMap({ words[$0] }) else {
        throw ToolError("'\(name)' takes true or false.")
      }
      truths[name] = truth
    }
  }
}

extension ToolArguments {
  func has(_ name: String) -> Bool {
    texts[name] != nil || numbers[name] != nil || truths[name] != nil
  }

  func text(_ name: String) -> String? { texts[name] }
  /// A text that is not empty; an empty one counts as not given.
  func word(_ name: String) -> String? { texts[name].flatMap { $0.isEmpty ? nil : $0 } }
  func number(_ name: String) -> Int? { numbers[name] }
  func number(_ name: String, else usual: Int) -> Int { numbers[name] ?? usual }
  func bool(_ name: String) -> Bool { truths[name] ?? false }

  /// A time in RFC 3339, or a day, which begins in UTC.
  func time(_ name: String) throws(ToolError) -> Date? {
    guard let text = word(name) else { return nil }
    let whole = text.utf8.count == 10 ? "\(text)T00:00:00Z" : text
    guard let time = RFC3339.microseconds(whole) else {
      throw ToolError(
        "'\(name)' takes a time such as 2026-11-02T09:30:00Z, or a day such as 2026-11-02.")
    }
    return Date(microseconds: time)
  }
}
