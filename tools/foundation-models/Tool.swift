// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// Something that a model can call.
public protocol Tool<Arguments, Output>: Sendable {
  associatedtype Output: PromptRepresentable
  associatedtype Arguments: ConvertibleFromGeneratedContent

  var name: String { get }
  var description: String { get }
  var parameters: GenerationSchema { get }
  var includesSchemaInInstructions: Bool { get }

  @concurrent func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  public var name: String { String(describing: Self.self) }
  public var includesSchemaInInstructions: Bool { true }
}

extension Tool where Arguments: Generable {
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool {
  /// Runs it as the framework does: with arguments, and nothing else.
  @concurrent
  func output(for arguments: GeneratedContent) async throws -> [Transcript.Segment] {
    try await call(arguments: Arguments(arguments)).promptRepresentation.segments
  }
}
