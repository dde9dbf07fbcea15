/// A value with a single JSON form, which its `Codable` form follows.
///
/// Encoders can't take JSON text as it is, so the form is traversed and rebuilt in their containers. Foreign JSON inside of it
/// is encoded as ``JSON`` encodes itself, as a string with its text, because it would lose its spelling otherwise.
protocol JSONRepresentable: Codable {
  var json: JSON { get }
  init(json: JSON) throws
}

extension JSONRepresentable {
  public func encode(to encoder: any Encoder) throws {
    try JSONForm.encode(json, to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    let json = try JSONForm.decode(from: decoder)
    do { self = try Self(json: json) } catch let error as KeepsakeError {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.message))
    }
  }
}

/// Encodes and decodes our own JSON forms with the containers of encoders.
private enum JSONForm {
  /// The names of the members that hold foreign JSON, in all of our own forms.
  static let foreign: Set<String> = [
    "structure", "opaque", "metadata", "options", "responseFormat", "toolDefinitions", "usage",
    "timing",
  ]

  /// The name of a member, as a coding key.
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static func encode(_ json: JSON, to encoder: any Encoder) throws {
    if let members = json.members {
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in members {
        let key = Key(stringValue: name)
        if foreign.contains(name), !value.isNull {
          try container.encode(value, forKey: key)
        } else {
          try container.encode(Part(json: value), forKey: key)
        }
      }
    } else if let elements = json.arrayValue {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(Part(json: element)) }
    } else {
      var container = encoder.singleValueContainer()
      if let text = json.stringValue {
        try container.encode(text)
      } else if let number = json.intValue {
        try container.encode(number)
      } else if let isTrue = json.boolValue {
        try container.encode(isTrue)
      } else if let number = json.doubleValue {
        try container.encode(number)
      } else {
        try container.encodeNil()
      }
    }
  }

  static func decode(from decoder: any Decoder) throws -> JSON {
    if let container = try? decoder.container(keyedBy: Key.self) {
      return .object(
        try container.allKeys.map { key in
          let name = key.stringValue
          if foreign.contains(name), !(try container.decodeNil(forKey: key)) {
            return (name, try container.decode(JSON.self, forKey: key))
          }
          return (name, try container.decode(Part.self, forKey: key).json)
        })
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !container.isAtEnd { elements.append(try container.decode(Part.self).json) }
      return .array(elements)
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .string(text) }
    if let isTrue = try? container.decode(Bool.self) { return .bool(isTrue) }
    return .number(try container.decode(Int64.self))
  }

  /// A part of a form; beside foreign JSON, our forms have only objects, arrays, texts and whole numbers.
  private struct Part: Codable {
    let json: JSON

    init(json: JSON) { self.json = json }
    init(from decoder: any Decoder) throws { json = try JSONForm.decode(from: decoder) }
    func encode(to encoder: any Encoder) throws { try JSONForm.encode(json, to: encoder) }
  }
}
