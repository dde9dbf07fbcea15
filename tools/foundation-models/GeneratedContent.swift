// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// A value that a model generated, as JSON.
public struct GeneratedContent: Sendable, Equatable {
  public let jsonString: String
  public let isComplete: Bool

  public init(json: String) throws {
    _ = try JSONValue(text: json)
    jsonString = json
    isComplete = true
  }

  init(_ value: JSONValue, isComplete: Bool = true) {
    jsonString = value.text
    self.isComplete = isComplete
  }

  var value: JSONValue {
    get throws { try JSONValue(text: jsonString) }
  }

  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self, forProperty property: String
  ) throws -> Value {
    try Value(GeneratedContent(try value.required(property)))
  }
}

extension GeneratedContent: Generable {
  public static var generationSchema: GenerationSchema { GenerationSchema(type: Self.self) }
  public init(_ content: GeneratedContent) throws { self = content }
  public var generatedContent: GeneratedContent { self }
}
