import Keepsake

/// A member of the JSON that a tool gives.
struct ToolOutputMember: Sendable {
  /// The kinds of members.
  enum Kind: String, Sendable { case string, integer, boolean, objects }

  let name: String
  let kind: Kind
  var isRequired = true
}
