// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

public import Foundation

extension Transcript {
  public struct TextSegment: Sendable, Equatable, Identifiable {
    public var id: String
    public var content: String

    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }

  public struct StructuredSegment: Sendable, Equatable, Identifiable {
    public var id: String
    public var source: String
    public var content: GeneratedContent

    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.id = id
      self.source = source
      self.content = content
    }
  }

  /// An image with a label. What Apple's looks like in Swift is not known here; its JSON is.
  public struct AttachmentSegment: Sendable, Equatable, Identifiable {
    public var id: String
    public var label: String
    public var dataURL: String

    public init(id: String = UUID().uuidString, label: String, dataURL: String) {
      self.id = id
      self.label = label
      self.dataURL = dataURL
    }
  }

  public struct Instructions: Sendable, Equatable, Identifiable {
    public var id: String
    public var segments: [Segment]
    public var toolDefinitions: [ToolDefinition]

    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  public struct ToolDefinition: Sendable, Equatable {
    public var name: String
    public var description: String

    public init(tool: some Tool) {
      name = tool.name
      description = tool.description
    }

    init(name: String, description: String) {
      self.name = name
      self.description = description
    }
  }

  public struct ResponseFormat: Sendable, Equatable {
    public let name: String

    public init<Content: Generable>(type: Content.Type) { name = String(describing: type) }

    init(name: String) { self.name = name }
  }

  public struct Prompt: Sendable, Equatable, Identifiable {
    public var id: String
    public var segments: [Segment]
    public var options: GenerationOptions
    public var responseFormat: ResponseFormat?

    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.id = id
      self.segments = segments
      self.options = options
      self.responseFormat = responseFormat
    }
  }

  public struct ToolCall: Sendable, Equatable, Identifiable {
    public var id: String
    public var toolName: String
    public var arguments: GeneratedContent

    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
    }
  }

  public struct ToolCalls: Sendable, Equatable, Identifiable, RandomAccessCollection {
    public var id: String
    var calls: [ToolCall]

    public init(id: String = UUID().uuidString, _ calls: some Sequence<ToolCall>) {
      self.id = id
      self.calls = Array(calls)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { calls.count }
    public subscript(index: Int) -> ToolCall { calls[index] }
  }

  public struct ToolOutput: Sendable, Equatable, Identifiable {
    public var id: String
    public var toolName: String
    public var segments: [Segment]

    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  public struct Response: Sendable, Equatable, Identifiable {
    public var id: String
    public var assetIDs: [String]
    public var segments: [Segment]

    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
    }
  }

  public struct Reasoning: Sendable, Equatable, Identifiable {
    public var id: String
    public var segments: [Segment]
    public var signature: String?

    public init(id: String = UUID().uuidString, segments: [Segment], signature: String? = nil) {
      self.id = id
      self.segments = segments
      self.signature = signature
    }
  }
}
