import Keepsake

/// The output for a conversation, as text for people or as JSON.
protocol EntryPage {
  func begin(_ session: Session.Summary) throws
  func entry(_ entry: Entry, isFirst: Bool) async throws
  func end() throws
}
