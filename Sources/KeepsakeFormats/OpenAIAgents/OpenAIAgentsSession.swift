import KeepsakeSQLite
import Keepsake

/// A session of the Agents SDK, or one of its branches.
struct OpenAIAgentsSession: Sendable, CustomStringConvertible {
  /// A message of the branch.
  struct Message: Sendable {
    let id: Int64
    /// The id of the row in `message_structure` that gives the message its place; nil where there is none.
    let place: Int64?
  }

  /// The id that the app gave the session.
  let id: String
  /// The name of the branch; nil for the main branch.
  let branch: String?
  let messages: [Message]

  /// The foreign id of the session, which names the branch, because branches are imported as sessions of their own.
  var foreignID: String { branch.map { "\(id)/\($0)" } ?? id }

  var description: String { branch.map { "Session \(id), branch \($0)" } ?? "Session \(id)" }
}
