/// The previews of forks. A preview is the beginning of the first prompt that was not erased, and a fork may share that prompt.
struct ForkPreviews {
  let handle: StoreHandle
  let db: Tables

  /// Gives new previews to the forks of a session, and to their forks, after a prompt of the session was erased. A fork that does not share
  /// the prompt, or shares another one before it, keeps its preview.
  ///
  /// A hub still has the old preview, in versions of the fork. So a fork with a new preview is told to the hub as a whole: the new version
  /// takes the place of the older ones. In a store that shares sessions, only the store that erased the prompt tells the forks.
  ///
  /// - Parameters:
  ///   - session: The number of the session.
  ///   - isErasedHere: Whether this store erased the prompt, and did not take that over from the hub.
  func renew(below session: Int64, isErasedHere: Bool) throws {
    let way = try db.joined.way()
    let isTold = way == .mirror || way == .shared && isErasedHere
    for member in try db.sessions.family(of: session) where member.number != session {
      let fork = Session(
        id: member.id, number: member.number, lineage: try Lineage(of: member.number, in: db),
        handle: handle)
      let row = try SessionRow(fork, orPurged: true, in: db)
      guard row.hasPreview, try sharesErasedPrompt(fork, of: session, below: row.entries) else {
        continue
      }
      let preview = try fork.preview(below: row.entries, in: db)
      if try db.sessions.preview(of: fork.number) == preview { continue }
      try db.sessions.set(preview: preview, of: fork.number)
      if isTold { try db.unsent.list(fork.number, since: nil) }
    }
  }

  /// Tells whether a fork shares an erased prompt of a session, and shows no prompt before it.
  private func sharesErasedPrompt(_ fork: Session, of session: Int64, below end: Int) throws -> Bool
  {
    let first = try fork.firstPrompt(below: end, in: db) ?? end
    return try fork.lineage.stretches(0..<first).contains { stretch in
      try stretch.piece.session == session
        && db.entries.hasErasedPrompt(in: EntryID.range(stretch.positions, of: session))
    }
  }
}
