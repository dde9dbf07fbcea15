import Keepsake

/// The mark of what was written over MCP: by whom it claims to be, for ever, so that it never passes for a person's words.
enum ClientMark {
  /// The origin of sessions that began over MCP.
  static let origin = "mcp"

  /// The author of what a client writes.
  static func author(_ client: String?) -> String { "\(origin): \(name(client))" }

  /// The data that an entry keeps beside its text.
  static func metadata(_ client: String?) -> JSON {
    ["mcp": ["client": .string(name(client))]]
  }

  /// The name that a client gives itself, on one line.
  static func name(_ client: String?) -> String {
    let line = VisibleText.line(client ?? "")
    return line.isEmpty ? "a client without a name" : line
  }
}
