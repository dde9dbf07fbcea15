import Keepsake

/// A tool that a model may call, as services describe it: each has a frame of its own around the same three things.
struct ToolDefinition {
  let name: String
  let description: JSON?
  /// A JSON Schema.
  let parameters: JSON?

  /// The tools of a list, in whichever frames; nil in the place of what is no tool with a name.
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
    parameters =
      json["parameters"] ?? json["input_schema"] ?? json["inputSchema"]
      ?? json["parametersJsonSchema"]
  }

  /// The tool as an object, with its schema under a key.
  func json(schema key: String, before members: [(String, JSON)] = []) -> JSON {
    var members = members
    members.append(("name", .string(name)))
    if let description { members.append(("description", description)) }
    members.append((key, parameters ?? ["type": "object", "properties": [:]]))
    return .object(members)
  }
}
