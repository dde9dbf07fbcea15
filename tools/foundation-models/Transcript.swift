// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// All that was said between an app and a model.
public struct Transcript: Sendable, Equatable, RandomAccessCollection {
  var entries: [Entry]

  public init(entries: some Sequence<Entry> = []) { self.entries = Array(entries) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }
  public subscript(index: Int) -> Entry { entries[index] }

  public enum Entry: Sendable, Equatable, Identifiable {
    case instructions(Instructions)
    case prompt(Prompt)
    case toolCalls(ToolCalls)
    case toolOutput(ToolOutput)
    case response(Response)
    case reasoning(Reasoning)

    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      }
    }
  }

  public enum Segment: Sendable, Equatable, Identifiable {
    case text(TextSegment)
    case structure(StructuredSegment)
    case attachment(AttachmentSegment)

    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      }
    }
  }
}
