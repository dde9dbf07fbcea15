#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The members of an object in one of our own forms, read by name in any order, with errors that name a wrong member.
struct JSONMembers {
  private let values: [String: JSON]
  /// The name of the object in messages, such as "entry" or "attachment".
  let subject: String

  init(_ json: JSON, of subject: String) throws {
    guard let members = json.members else {
      throw KeepsakeError(
        .invalid, "Can't read the \(subject): it is \(json.kind). Give an object.")
    }
    self.subject = subject
    var values: [String: JSON] = [:]
    for member in members {
      // A repeated member is refused, because two programs might each read another one.
      guard values.updateValue(member.value, forKey: member.key) == nil else {
        throw KeepsakeError(
          .invalid, "Can't read the \(subject): its '\(member.key)' comes twice. Give it once.")
      }
    }
    self.values = values
  }

  /// The value of a member; nil if it is missing or null.
  subscript(name: String) -> JSON? {
    guard let value = values[name], !value.isNull else { return nil }
    return value
  }

  func text(_ name: String) throws -> String? {
    try value(name, "a string") { $0.stringValue }
  }

  func int(_ name: String) throws -> Int? {
    try value(name, "a whole number") { $0.intValue.flatMap { Int(exactly: $0) } }
  }

  func array(_ name: String) throws -> [JSON] {
    try value(name, "an array") { $0.arrayValue } ?? []
  }

  func date(_ name: String) throws -> Date? {
    try value(name, "a time such as 2026-10-14T09:30:00Z") { json in
      json.stringValue.flatMap(RFC3339.microseconds).map(Date.init(microseconds:))
    }
  }

  func id(_ name: String) throws -> UUID? {
    try value(name, "a UUID") { $0.stringValue.flatMap(UUID.init(uuidString:)) }
  }

  func name<Case: RawRepresentable & CaseIterable>(_ name: String, as: Case.Type) throws -> Case?
  where Case.RawValue == String {
    let names = Case.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    return try value(name, "one of \(names)") { $0.stringValue.flatMap(Case.init(rawValue:)) }
  }

  func value<Value>(_ name: String, _ expected: String, _ read: (JSON) throws -> Value?) throws
    -> Value?
  {
    guard let json = self[name] else { return nil }
    guard let value = try read(json) else {
      let found = json.text.count <= 60 ? json.text : "\(json.text.prefix(60))…"
      throw KeepsakeError(
        .invalid, "Can't read the \(subject): its '\(name)' is \(found). Give \(expected).")
    }
    return value
  }

  func required<Value>(_ name: String, _ value: Value?) throws -> Value {
    guard let value else {
      throw KeepsakeError(.invalid, "Can't read the \(subject): its '\(name)' is missing.")
    }
    return value
  }
}
