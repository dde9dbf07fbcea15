import Keepsake

/// A tool that models call.
protocol Tool: Sendable {
  /// At most 20 characters in snake case: clients put the server's name before it, and cut the whole.
  var name: String { get }
  /// The name for people.
  var title: String { get }
  /// At most 1,000 characters, the important ones first: clients cut longer ones. Nothing of a store is in it.
  var about: String { get }
  /// What the tool takes; flat, because clients refuse anything else.
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

/// What a call of a tool has beside its arguments.
struct ToolContext: Sendable {
  let store: Store
  let options: MCPServer.Options
  let revision: Revision
  /// The name that the client gives itself.
  let client: String?
  /// Reports how far the call is.
  let report: @Sendable (Call.Progress) -> Void
}

/// What a tool gives back.
enum ToolResult: Sendable {
  /// JSON for the model, of the form that the tool declares.
  case data(JSON)
  /// Text and images to be read.
  case reading([ContentBlock])
}

/// A failure that the model can put right, with a sentence that says how.
struct ToolError: Error, Sendable {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A member of the JSON that a tool gives.
struct ToolOutputMember: Sendable {
  /// The kinds of members.
  enum Kind: String, Sendable { case string, integer, boolean, objects }

  let name: String
  let kind: Kind
  var isRequired = true
}

/// The tools, in the order in which they are always listed: clients keep what models read by its beginning.
enum Tools {
  static func offered(with options: MCPServer.Options) -> [any Tool] {
    let reading: [any Tool] = [
      SearchTool(), ListSessionsTool(), ReadSessionTool(), GetArtifactTool(), AuditArtifactTool(),
    ]
    let writing: [any Tool] = [
      AppendEntryTool(), AttachArtifactTool(takesFiles: options.filesFrom != nil),
    ]
    return options.allowsWrites ? reading + writing : reading
  }
}
