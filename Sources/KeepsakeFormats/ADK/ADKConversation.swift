import KeepsakeSQLite
import Keepsake

/// A session in a database of ADK.
struct ADKConversation: Sendable, CustomStringConvertible {
  let session: ADKSession
  /// The ids of the session's events, in the order in which they were written.
  let events: [String]

  var description: String { session.description }
}
