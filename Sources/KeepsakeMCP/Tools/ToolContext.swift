import Keepsake

/// The surroundings of a tool's call: everything that it has beside its arguments.
struct ToolContext: Sendable {
  let store: Store
  let options: MCPServer.Options
  let revision: Revision
  /// The name that the client gives itself.
  let client: String?
  /// Reports how far the call is.
  let report: @Sendable (Call.Progress) -> Void
}
