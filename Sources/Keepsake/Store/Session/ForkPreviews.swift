/// The previews of forks. A preview is the beginning of the first prompt that was not erased, and a fork may share that prompt.
struct ForkPreviews {
  let handle: StoreHandle
  let db: Tables

  /// Gives new previews to the forks of a session, and to their forks, after a prompt of the session was erased.
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
      guard row.hasPreview else { continue }
      let preview = try fork.preview(below: row.entries, in: db)
      if try db.sessions.preview(of: fork.number) == preview { continue }
      try db.sessions.set(preview: preview, of: fork.number)
      if isTold { try db.unsent.list(fork.number, since: nil) }
    }
  }
}
