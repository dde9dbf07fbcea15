import KeepsakeFiles
import KeepsakeSQLite
import Keepsake

/// A conversation of a log database.
enum LLMConversation: Sendable, CustomStringConvertible {
  /// A thread of the newer tables, with its id.
  case thread(String)
  /// The responses of a conversation of the older tables, with their ids. The conversation is nil for a single
  /// response.
  case responses([String], conversation: String?)

  /// The foreign id of the session.
  ///
  /// The prefix is needed because a conversation that went on in the newer tables has the same id there.
  var id: String {
    switch self {
    case .thread(let id): id
    case .responses(_, let conversation?): "conversation/\(conversation)"
    case .responses(let responses, nil): "response/\(responses[0])"
    }
  }

  var description: String {
    switch self {
    case .thread(let id): "Thread \(id)"
    case .responses(_, let conversation?): "Conversation \(conversation)"
    case .responses(let responses, nil): "Response \(responses[0])"
    }
  }

  mutating func append(_ response: String) {
    guard case .responses(var responses, let conversation) = self else { return }
    // This leaves the array with one owner, so that it grows in place instead of being copied.
    self = .responses([], conversation: nil)
    responses.append(response)
    self = .responses(responses, conversation: conversation)
  }
}
