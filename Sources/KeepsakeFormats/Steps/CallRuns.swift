import Keepsake

/// The runs of a session's tool calls, without what they were given and gave back: that stands in the entries.
struct CallRuns {
  private var newest: [Entry.Attachment.CallReference: Invocation] = [:]

  init(of session: Session) async throws {
    var newest: [Entry.Attachment.CallReference: Invocation] = [:]
    try await session.eachRun { run in
      if let call = run.call { newest[call] = run.withoutTexts }
    }
    self.newest = newest
  }

  /// The run of a call; of several the newest. nil where none was recorded.
  subscript(call: Entry.Attachment.CallReference) -> Invocation? { newest[call] }
}
