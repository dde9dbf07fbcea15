/// The previews of forks. A preview is the beginning of the first prompt that was not erased, which may be one that the fork shares.
struct ForkPreviews {
  let handle: StoreHandle
  let db: Tables

  /// Gives new previews to the forks of a session, and to their forks, where the first prompt of one was erased.
  ///
  /// A hub has the old preview in versions of the fork. In a mirror, the fork is listed to be told as a whole, in place of these. A store
  /// that shares sessions leaves that to the one that erases.
  func renew(below session: Int64) throws {
    for member in try db.sessions.family(of: session) where member.number != session {
      let fork = Session(
        id: member.id, number: member.number, lineage: try Lineage(of: member.number, in: db),
        handle: handle)
      var row = try SessionRow(fork, orPurged: true, in: db)
      guard row.hasPreview else { continue }
      let preview = try fork.preview(below: row.entries, in: db)
      if try db.sessions.preview(of: fork.number) == preview { continue }
      row.set(preview: preview)
      try row.save(in: db)
      if try db.joined.way() == .mirror { try db.unsent.list(fork.number, since: nil) }
    }
  }
}
