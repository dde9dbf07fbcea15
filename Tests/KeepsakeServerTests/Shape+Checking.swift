import Foundation
import Keepsake

@testable import KeepsakeServer

extension Shape {
  /// The first place where a value is not of this shape, and why; nil where it is.
  ///
  /// The members of an object are exactly those that are declared, unless it is open. None stands twice.
  func fault(_ json: JSON, at place: String = "") -> String? {
    func expected(_ what: String) -> String { "\(place): \(json.kind) instead of \(what)" }
    switch self {
    case .anything: return nil
    case .string: return json.stringValue == nil ? expected("a string") : nil
    case .integer: return json.intValue == nil ? expected("a whole number") : nil
    case .number: return json.doubleValue == nil ? expected("a number") : nil
    case .boolean: return json.boolValue == nil ? expected("a truth value") : nil
    case .formatted(let format):
      guard let text = json.stringValue else { return expected("a string") }
      return Self.isOf(format, text) ? nil : "\(place): '\(text)' is no \(format)"
    case .choice(let names):
      guard let text = json.stringValue else { return expected("a string") }
      return names.contains(text) ? nil : "\(place): '\(text)' is none of \(names)"
    case .nullable(let shape): return json.isNull ? nil : shape.fault(json, at: place)
    case .named(_, let shape): return shape.fault(json, at: place)
    case .array(let element):
      guard let list = json.arrayValue else { return expected("an array") }
      for (index, value) in list.enumerated() {
        if let fault = element.fault(value, at: "\(place)/\(index)") { return fault }
      }
      return nil
    case .object(let members, let isOpen):
      guard let given = json.members else { return expected("an object") }
      return Self.fault(given, of: members, isOpen: isOpen, at: place)
    }
  }

  private static func fault(
    _ given: [(key: String, value: JSON)], of members: [Member], isOpen: Bool, at place: String
  ) -> String? {
    var seen: Set<String> = []
    for (name, value) in given {
      guard seen.insert(name).inserted else { return "\(place): '\(name)' stands twice" }
      guard let member = members.first(where: { $0.name == name }) else {
        if isOpen { continue }
        return "\(place): '\(name)' is not declared"
      }
      if let fault = member.shape.fault(value, at: "\(place)/\(name)") { return fault }
    }
    let missing = members.first { $0.isRequired && !seen.contains($0.name) }
    return missing.map { "\(place): '\($0.name)' is missing" }
  }

  private static func isOf(_ format: String, _ text: String) -> Bool {
    func isHex(_ text: Substring) -> Bool {
      text.utf8.count == 64
        && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
    switch format {
    case "uuid": return UUID(uuidString: text) != nil && text == text.lowercased()
    case "date-time": return RFC3339.microseconds(text) != nil && text.hasSuffix("Z")
    case "digest": return isHex(text[...])
    case "artifact": return text.hasPrefix("sha256:") && isHex(text.dropFirst(7))
    default: return false
    }
  }
}
