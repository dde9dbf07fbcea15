import Keepsake

/// The recorded runs of a session's tool calls, without arguments and outputs, which are in the entries.
struct CallRuns {
  private var newest: [Entry.Attachment.CallReference: Invocation] = [:]

  init(of session: Session) async throws {
    var newest: [Entry.Attachment.CallReference: Invocation] = [:]
    try await session.eachRun { run in
      if let call = run.call { newest[call] = run.withoutTexts }
    }
    self.newest = newest
  }

  /// The newest run of a call; nil where none was recorded.
  subscript(call: Entry.Attachment.CallReference) -> Invocation? { newest[call] }
}
