// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// In Apple's envelope. As strict as OS 27 about what must be there.
extension Transcript: Codable {
  public init(from decoder: any Decoder) throws {
    let json = try JSONValue(from: decoder)
    guard json["type"] == .string("FoundationModels.Transcript") else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no transcript"))
    }
    let entries = try json.required("transcript").required("entries").array ?? []
    self.init(entries: try entries.map { try Entry($0) })
  }

  public func encode(to encoder: any Encoder) throws {
    try JSONValue.object([
      "type": .string("FoundationModels.Transcript"), "version": .string("1.1"),
      "transcript": .object(["entries": .array(entries.map(\.json))]),
    ]).encode(to: encoder)
  }
}

extension Transcript.Entry {
  fileprivate init(_ json: JSONValue) throws {
    let id = try json.requiredString("id")
    func segments(_ json: JSONValue) throws -> [Transcript.Segment] {
      try (json.required("contents").array ?? []).map { try .init($0) }
    }
    switch try json.requiredString("role") {
    case "instructions":
      let tools = try (json["tools"]?.array ?? []).map { tool in
        let function = try tool.required("function")
        return Transcript.ToolDefinition(
          name: try function.requiredString("name"),
          description: try function.requiredString("description"))
      }
      self = .instructions(
        .init(id: id, segments: try segments(json), toolDefinitions: tools))
    case "user":
      _ = try json.required("options")
      _ = try json.required("contextOptions")
      let format = try json["responseFormat"]?.required("jsonSchema").requiredString("name")
      self = .prompt(
        .init(
          id: id, segments: try segments(json), options: .init(try json.required("options")),
          responseFormat: format.map { .init(name: $0) }))
    case "tool":
      self = .toolOutput(
        .init(
          id: try json.requiredString("toolCallID"), toolName: try json.requiredString("toolName"),
          segments: try segments(json)))
    case "reasoning":
      let inner = try json.required("reasoning")
      self = .reasoning(
        .init(id: id, segments: try segments(inner), signature: inner["signature"]?.string))
    default:
      if let calls = json["toolCalls"]?.array {
        self = .toolCalls(
          .init(
            id: id,
            try calls.map {
              .init(
                id: try $0.requiredString("id"), toolName: try $0.requiredString("name"),
                arguments: try GeneratedContent(json: $0.requiredString("arguments")))
            }))
      } else {
        self = .response(
          .init(
            id: id, assetIDs: (json["assets"]?.array ?? []).compactMap(\.string),
            segments: try segments(json)))
      }
    }
  }

  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = ["id": .string(id)]
    func contents(_ segments: [Transcript.Segment]) -> JSONValue { .array(segments.map(\.json)) }
    switch self {
    case .instructions(let entry):
      members["role"] = .string("instructions")
      members["contents"] = contents(entry.segments)
      members["tools"] = .array(
        entry.toolDefinitions.map {
          .object([
            "type": .string("function"),
            "function": .object([
              "name": .string($0.name), "description": .string($0.description),
              "parameters": .object([:]),
            ]),
          ])
        })
    case .prompt(let entry):
      members["role"] = .string("user")
      members["contents"] = contents(entry.segments)
      members["options"] = entry.options.json
      members["contextOptions"] = .object([:])
      if let format = entry.responseFormat {
        members["responseFormat"] = .object([
          "type": .string("jsonSchema"),
          "jsonSchema": .object(["name": .string(format.name), "schema": .object([:])]),
        ])
      }
    case .toolCalls(let entry):
      members["role"] = .string("response")
      members["toolCalls"] = .array(
        entry.map {
          .object([
            "id": .string($0.id), "name": .string($0.toolName),
            "arguments": .string($0.arguments.jsonString),
          ])
        })
    case .toolOutput(let entry):
      members["role"] = .string("tool")
      members["toolCallID"] = .string(entry.id)
      members["toolName"] = .string(entry.toolName)
      members["contents"] = contents(entry.segments)
    case .response(let entry):
      members["role"] = .string("response")
      members["assets"] = .array(entry.assetIDs.map { .string($0) })
      members["contents"] = contents(entry.segments)
    case .reasoning(let entry):
      members["role"] = .string("reasoning")
      var inner = ["contents": contents(entry.segments)]
      if let signature = entry.signature { inner["signature"] = .string(signature) }
      members["reasoning"] = .object(inner)
      members["metadata"] = .object([:])
    }
    return .object(members)
  }
}

extension GenerationOptions {
  fileprivate init(_ json: JSONValue) {
    self.init()
    if case .number(let value)? = json["temperature"] { temperature = value }
    if case .integer(let value)? = json["maximumResponseTokens"] { maximumResponseTokens = value }
  }

  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [:]
    if let temperature { members["temperature"] = .number(temperature) }
    if let maximumResponseTokens {
      members["maximumResponseTokens"] = .integer(maximumResponseTokens)
    }
    return .object(members)
  }
}

extension Transcript.Segment {
  fileprivate init(_ json: JSONValue) throws {
    let id = try json.requiredString("id")
    switch try json.requiredString("type") {
    case "structure":
      let inner = try json.required("structure")
      self = .structure(
        .init(
          id: id, source: try inner.requiredString("source"),
          content: GeneratedContent(try inner.required("content"))))
    case "attachment":
      let inner = try json.required("attachment")
      self = .attachment(
        .init(
          id: id, label: try inner.requiredString("label"),
          dataURL: try inner.requiredString("data")))
    default: self = .text(.init(id: id, content: try json.requiredString("text")))
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .text(let segment):
      .object([
        "id": .string(segment.id), "type": .string("text"), "text": .string(segment.content),
      ])
    case .structure(let segment):
      .object([
        "id": .string(segment.id), "type": .string("structure"),
        "structure": .object([
          "source": .string(segment.source),
          "content": (try? segment.content.value) ?? .null,
        ]),
      ])
    case .attachment(let segment):
      .object([
        "id": .string(segment.id), "type": .string("attachment"),
        "attachment": .object([
          "type": .string("image"), "label": .string(segment.label),
          "data": .string(segment.dataURL),
        ]),
      ])
    }
  }
}
