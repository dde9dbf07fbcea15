import Keepsake

/// How a session that goes on is shown.
protocol FollowingPage {
  mutating func begin(_ session: Session.Summary) throws
  mutating func entry(_ entry: Entry) async throws
  /// An entry that is shown already says something else now.
  mutating func revised(_ entry: Entry) async throws
  /// Something hangs on an entry that is shown already.
  mutating func attached(_ attachment: Entry.Attachment) async throws
  mutating func ended(_ invocation: Invocation) throws
  /// What streams and runs is as it was, or not.
  mutating func live(_ state: LiveState) throws
  mutating func deleted() throws
}
