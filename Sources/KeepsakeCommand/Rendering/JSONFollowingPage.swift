import Keepsake

/// A session that is followed, as lines of JSON for programs; the single member of each object tells its kind.
struct JSONFollowingPage: FollowingPage {
  let terminal: Terminal

  func begin(_ session: Session.Summary) throws {
    try line("session") { $0.write(session) }
  }

  func entry(_ entry: Entry) async throws { try line("entry") { $0.raw(entry.json) } }

  func revised(_ entry: Entry) async throws { try line("revised") { $0.raw(entry.json) } }

  func attached(_ attachment: Entry.Attachment) async throws {
    try line("attached") { $0.raw(attachment.json) }
  }

  func ended(_ invocation: Invocation) throws { try line("ended") { $0.write(invocation) } }

  /// Prints nothing, because drafts and running invocations are not complete.
  func live(_ state: LiveState) throws {}

  func deleted() throws { try line("deleted") { $0.bool(true) } }

  private func line(_ name: StaticString, _ write: (inout JSONWriter) -> Void) throws {
    try terminal.json { writer in
      writer.beginObject()
      writer.key(name)
      write(&writer)
      writer.endObject()
    }
  }
}
