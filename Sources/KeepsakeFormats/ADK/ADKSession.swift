import Keepsake

/// Identifies a session of ADK, whose id is unique only for a user of an app.
struct ADKSession: Sendable, Hashable, CustomStringConvertible {
  let app: String
  let user: String
  let id: String

  /// The id under which the session is imported; nil where the file has no id.
  var foreignID: String? { id.isEmpty ? nil : "\(app)/\(user)/\(id)" }

  var description: String { "Session \(id)" }
}
