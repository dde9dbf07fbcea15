import Keepsake

/// The output for a session that is followed.
protocol FollowingPage {
  mutating func begin(_ session: Session.Summary) throws
  mutating func entry(_ entry: Entry) async throws
  /// Shows that an entry which is shown already has other content now.
  mutating func revised(_ entry: Entry) async throws
  /// Shows a new attachment of an entry that is shown already.
  mutating func attached(_ attachment: Entry.Attachment) async throws
  mutating func ended(_ invocation: Invocation) throws
  /// Shows the streaming drafts and the running invocations, which may be unchanged.
  mutating func live(_ state: LiveState) throws
  mutating func deleted() throws
}
