// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// What a model is asked.
public struct Prompt: Sendable {
  var segments: [Transcript.Segment]

  public init(_ content: some PromptRepresentable) {
    segments = content.promptRepresentation.segments
  }

  init(text: String) { segments = [.text(.init(content: text))] }

  init(structure: GeneratedContent, of type: Any.Type) {
    segments = [.structure(.init(source: String(describing: type), content: structure))]
  }
}

/// What can be a part of a prompt.
public protocol PromptRepresentable {
  var promptRepresentation: Prompt { get }
}

extension Prompt: PromptRepresentable {
  public var promptRepresentation: Prompt { self }
}

/// What a model is told to be.
public struct Instructions: Sendable {
  var text: String

  public init(_ content: some InstructionsRepresentable) {
    text = content.instructionsRepresentation.text
  }

  init(text: String) { self.text = text }
}

/// What can be a part of instructions.
public protocol InstructionsRepresentable {
  var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  public var instructionsRepresentation: Instructions { self }
}
