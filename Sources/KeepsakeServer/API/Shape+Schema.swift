import Keepsake
import KeepsakeHTTP

extension Shape {
  /// Writes the shape as a schema of JSON (2020-12), in which a named shape is a reference.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    members(to: &writer)
    writer.endObject()
  }

  private func members(to writer: inout JSONWriter) {
    switch self {
    case .string: writer.fixed("type", "string")
    case .integer: writer.fixed("type", "integer")
    case .number: writer.fixed("type", "number")
    case .boolean: writer.fixed("type", "boolean")
    case .anything: break
    case .formatted("artifact"):
      writer.fixed("type", "string")
      writer.fixed("pattern", "^sha256:[0-9a-f]{64}$")
    case .formatted("digest"):
      writer.fixed("type", "string")
      writer.fixed("pattern", "^[0-9a-f]{64}$")
    case .formatted(let format):
      writer.fixed("type", "string")
      writer.fixed("format", format)
    case .choice(let names):
      writer.fixed("type", "string")
      writer.strings("enum", names)
    case .array(let element):
      writer.fixed("type", "array")
      writer.key("items")
      element.write(to: &writer)
    case .nullable(let shape):
      writer.key("anyOf")
      writer.beginArray()
      shape.write(to: &writer)
      writer.beginObject()
      writer.fixed("type", "null")
      writer.endObject()
      writer.endArray()
    case .object(let members, let isOpen):
      writer.fixed("type", "object")
      writer.key("properties")
      writer.beginObject()
      for member in members {
        writer.key(escaping: member.name)
        member.shape.write(to: &writer)
      }
      writer.endObject()
      writer.strings("required", members.filter(\.isRequired).map(\.name))
      if !isOpen { writer.flag("additionalProperties", false) }
    case .named(let name, _): writer.fixed("$ref", "#/components/schemas/\(name)")
    }
  }

  /// Adds the named shapes within this one, each once, with what stands behind the name.
  func collect(into named: inout [(String, Shape)]) {
    switch self {
    case .named(let name, let shape):
      if named.contains(where: { $0.0 == name }) { return }
      named.append((name, shape))
      shape.collect(into: &named)
    case .array(let shape), .nullable(let shape): shape.collect(into: &named)
    case .object(let members, _): for member in members { member.shape.collect(into: &named) }
    default: break
    }
  }

  /// The shape of a named segment of a path.
  static func named(part name: String) -> Shape {
    switch name {
    case "session": .uuid
    case "digest": .formatted("digest")
    case "position": .integer
    default: .string
    }
  }
}

extension Endpoint.Parameter.Kind {
  /// Writes the schema of the values, with their limits and the usual one.
  func writeSchema(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .text, .cursor: writer.fixed("type", "string")
    case .time:
      // A day is taken as well, so the format is one of several.
      writer.fixed("type", "string")
      writer.strings("examples", ["2026-11-25", "2026-11-25T11:40:00Z"])
    case .flag: writer.fixed("type", "boolean")
    case .position:
      writer.fixed("type", "integer")
      writer.fixed("minimum", 0)
    case .number(let range, let usual):
      writer.fixed("type", "integer")
      writer.fixed("minimum", range.lowerBound)
      writer.fixed("maximum", range.upperBound)
      writer.fixed("default", usual)
    case .choice(let names):
      writer.fixed("type", "string")
      writer.strings("enum", names)
    }
    writer.endObject()
  }
}

extension Endpoint {
  /// The name of the operation in the description, made of its method and path: `getSessionsSessionEntries`.
  var identifier: String {
    let words = path.parts.dropFirst(2).map { part in
      switch part {
      case .fixed(let text), .named(let text): text
      }
    }
    return method.rawValue.lowercased()
      + words.map { $0.prefix(1).uppercased() + $0.dropFirst().filter { $0 != "." } }.joined()
  }
}
