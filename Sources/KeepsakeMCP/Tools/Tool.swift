import Keepsake

/// A tool that models call.
protocol Tool: Sendable {
  /// At most 20 characters in snake case: clients put the server's name before it, and cut the whole.
  var name: String { get }
  /// The name for people.
  var title: String { get }
  /// At most 1,000 characters, the important ones first: clients cut longer ones. Nothing of a store is in it.
  var about: String { get }
  /// The parameters that the tool takes; flat, because clients refuse anything else.
  var parameters: [ToolParameter] { get }
  /// The members of the JSON that the tool gives, by name and kind; nil for a tool that gives text to read.
  var output: [ToolOutputMember]? { get }
  /// Whether calling the tool changes the store.
  var writes: Bool { get }
  /// Whether calling the tool again with the same arguments changes nothing more.
  var isIdempotent: Bool { get }
  /// Does what is asked.
  func call(_ arguments: ToolArguments, _ context: ToolContext) async throws -> ToolResult
  /// The longest time that a call may take.
  func deadline(_ arguments: JSON) -> Duration
}

extension Tool {
  var writes: Bool { false }
  var isIdempotent: Bool { false }
  func deadline(_: JSON) -> Duration { .seconds(10) }
}
