import Keepsake

/// Converts AnyLanguageModel's structured content, in which each value names its type and each object the order of
/// its keys.
enum GeneratedContent {
  /// Returns the JSON that generated content stands for; nil where it is no generated content.
  ///
  /// Numbers keep their spelling.
  static func value(of content: JSON) -> JSON? {
    guard let kind = content["kind"], let type = kind["type"]?.stringValue else { return nil }
    switch type {
    case "null": return .null
    case "bool": return kind["value"].flatMap { $0.kind == .bool ? $0 : nil }
    case "number": return kind["value"].flatMap { $0.kind == .number ? $0 : nil }
    case "string": return kind["value"].flatMap { $0.kind == .string ? $0 : nil }
    case "array":
      guard let elements = kind["value"]?.arrayValue else { return nil }
      var values: [JSON] = []
      for element in elements {
        guard let value = value(of: element) else { return nil }
        values.append(value)
      }
      return .array(values)
    case "structure":
      guard let properties = kind["properties"]?.members,
        let keys = kind["orderedKeys"]?.arrayValue
      else { return nil }
      let found = Dictionary(properties, uniquingKeysWith: { first, _ in first })
      var members: [(String, JSON)] = []
      for key in keys {
        guard let key = key.stringValue, let content = found[key],
          let value = value(of: content)
        else { return nil }
        members.append((key, value))
      }
      return .object(members)
    default: return nil
    }
  }

  /// Returns JSON in the form of generated content.
  static func content(of value: JSON) -> JSON {
    let members: [(String, JSON)]
    switch value.kind {
    case .null: members = [("type", .string("null"))]
    case .bool: members = [("type", .string("bool")), ("value", value)]
    case .number: members = [("type", .string("number")), ("value", value)]
    case .string: members = [("type", .string("string")), ("value", value)]
    case .array:
      members = [
        ("type", .string("array")), ("value", .array((value.arrayValue ?? []).map(content))),
      ]
    case .object:
      var keys: Set<String> = []
      let properties = (value.members ?? []).filter { keys.insert($0.key).inserted }
      members = [
        ("type", .string("structure")),
        ("properties", .object(properties.map { ($0.key, content(of: $0.value)) })),
        ("orderedKeys", .array(properties.map { .string($0.key) })),
      ]
    }
    return .object([("kind", .object(members))])
  }

  /// Returns whether generated content says no more than its JSON does: it has no ids, for example.
  static func isPlain(_ content: JSON, _ value: JSON) -> Bool {
    self.content(of: value).isEquivalent(to: content)
  }
}
