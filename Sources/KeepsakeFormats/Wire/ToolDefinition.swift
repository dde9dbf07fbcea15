import Keepsake

/// A tool that a model may call, as services describe it: each has a frame of its own around the same three things.
struct ToolDefinition {
  let name: String
  let description: JSON?
  /// A JSON Schema.
  let parameters: JSON?
  /// Whether the service is to hold the model to the schema to the letter.
  let isStrict: Bool

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
    isStrict = json["strict"]?.boolValue ?? false
    parameters =
      json["parameters"] ?? json["input_schema"] ?? json["inputSchema"]
      ?? json["parametersJsonSchema"]
  }

  /// The tool as an object, with its schema under a key.
  func json(schema key: String) -> JSON { .object(members(schema: key)) }

  /// The tool as Chat Completions have it, and what learned from them.
  var function: JSON { ["type": "function", "function": json(schema: "parameters")] }

  /// The tool as Responses have it, which want to be told how strict they are to be.
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
