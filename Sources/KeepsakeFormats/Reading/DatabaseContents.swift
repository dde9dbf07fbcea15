import KeepsakeFiles
import Keepsake

/// Lists the conversations of a database.
protocol DatabaseContents: Sendable {
  associatedtype Conversation: CustomStringConvertible, Sendable

  init(_ file: ForeignFile) throws

  var file: ForeignFile { get }
  var conversations: [Conversation] { get }

  /// The source of a conversation, which can be read any number of times.
  func source(of conversation: Conversation) -> ForeignSource
}
