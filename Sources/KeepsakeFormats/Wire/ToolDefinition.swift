import Keepsake

/// The description of a tool that a model may call. Each service has its own form for the same facts.
struct ToolDefinition {
  let name: String
  let description: JSON?
  /// The JSON Schema of the arguments; nil where none is given.
  let parameters: JSON?
  /// Whether the service has to hold the model exactly to the schema.
  let isStrict: Bool

  /// The tools in a list of any form; nil for each element without a name.
  static func list(_ tools: JSON) -> [ToolDefinition?] {
    (tools.arrayValue ?? [tools]).flatMap { element -> [ToolDefinition?] in
      let declared = element["functionDeclarations"] ?? element["function_declarations"]
      if let declared = declared?.arrayValue { return declared.map(ToolDefinition.init) }
      return [ToolDefinition(element["function"] ?? element)]
    }
  }

  private init?(_ json: JSON) {
    guard let name = json["name"]?.stringValue else { return nil }
    self.name = name
    description = json["description"]
    isStrict = json["strict"]?.boolValue ?? false
    parameters =
      json["parameters"] ?? json["input_schema"] ?? json["inputSchema"]
      ?? json["parametersJsonSchema"]
  }

  /// The tool as an object whose schema stands under a key.
  func json(schema key: String) -> JSON { .object(members(schema: key)) }

  /// The tool in the form of Chat Completions, which other services use as well.
  var function: JSON { ["type": "function", "function": json(schema: "parameters")] }

  /// The tool in the form of Responses, which always states whether the schema is strict.
  var item: JSON {
    .object(
      [("type", "function")] + members(schema: "parameters") + [("strict", .bool(isStrict))])
  }

  private func members(schema key: String) -> [(String, JSON)] {
    var members: [(String, JSON)] = [("name", .string(name))]
    if let description { members.append(("description", description)) }
    members.append((key, parameters ?? ["type": "object", "properties": [:]]))
    return members
  }
}
