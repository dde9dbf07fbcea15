import Keepsake

/// A parameter of a tool: a flat scalar, which is what all clients take.
struct ToolParameter: Sendable {
  /// The kinds of values.
  enum Kind: Sendable {
    case text
    case choice([String])
    case integer(ClosedRange<Int>)
    case bool
  }

  let name: String
  let kind: Kind
  let about: String
  var isRequired = false
  /// The value that counts where none is given, for the schema.
  var usual: JSON?

  /// Writes the JSON Schema of the parameter.
  func write(to writer: inout JSONWriter) {
    writer.key(escaping: name)
    writer.beginObject()
    switch kind {
    case .text: writer.member("type", "string")
    case .choice(let choices):
      writer.member("type", "string")
      writer.strings("enum", choices)
    case .integer(let range):
      writer.member("type", "integer")
      writer.member("minimum", range.lowerBound)
      if range.upperBound < Self.unlimited { writer.member("maximum", range.upperBound) }
    case .bool: writer.member("type", "boolean")
    }
    writer.member("description", about)
    writer.member("default", usual)
    writer.endObject()
  }

  /// The largest number of a parameter that has no limit of its own.
  static let unlimited = 1 << 53
}
