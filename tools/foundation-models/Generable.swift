// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// A type that can be made of what a model generated.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  init(_ content: GeneratedContent) throws
}

/// A type that can be given to a model as generated content.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  var generatedContent: GeneratedContent { get }
}

extension ConvertibleToGeneratedContent {
  public var instructionsRepresentation: Instructions { Instructions(generatedContent.jsonString) }
  public var promptRepresentation: Prompt { Prompt(structure: generatedContent, of: Self.self) }
}

/// A type that a model can generate.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self
  static var generationSchema: GenerationSchema { get }
}

extension String: Generable {
  public static var generationSchema: GenerationSchema { GenerationSchema(type: String.self) }
  public init(_ content: GeneratedContent) throws {
    self = try content.value.string ?? content.jsonString
  }
  public var generatedContent: GeneratedContent { GeneratedContent(.string(self)) }
  public var instructionsRepresentation: Instructions { Instructions(text: self) }
  public var promptRepresentation: Prompt { Prompt(text: self) }
}

extension Int: Generable {
  public static var generationSchema: GenerationSchema { GenerationSchema(type: Int.self) }
  public init(_ content: GeneratedContent) throws {
    guard case .integer(let value) = try content.value else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no integer"))
    }
    self = value
  }
  public var generatedContent: GeneratedContent { GeneratedContent(.integer(self)) }
}

/// What a model is told of a type.
public struct GenerationSchema: Sendable {
  let name: String

  init(type: Any.Type) { name = String(describing: type) }

  /// Apple's takes properties, too.
  public init(type: any Generable.Type, description: String? = nil) {
    name = String(describing: type)
  }
}

/// How a model generates.
public struct GenerationOptions: Sendable, Equatable {
  public var temperature: Double?
  public var maximumResponseTokens: Int?

  public init(temperature: Double? = nil, maximumResponseTokens: Int? = nil) {
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }
}
