extension RestoredFacts {
  /// Derives the values of a session whose rows are all there.
  init(of made: RestoreProgress.Made, in db: Tables) throws {
    let session = made.session
    let own = try db.sessions.restoredSums(
      of: session.number,
      last: made.next > made.start ? session.lineage.id(of: made.next - 1) : nil,
      isPurged: made.isPurged)
    guard let own else { throw KeepsakeError.noSession(session.id) }
    let shared = try Session.sharedCount(session.lineage.shared, in: db)
    let labels = try db.attachments.lastLabel(of: session.number, atLeast: shared)
    if made.isPurged {
      self.init(
        session: session.number, entries: made.next, turns: own.turns,
        attachments: own.attachments, labels: labels, bytes: own.bytes, model: nil, preview: nil,
        cover: nil, hasOverlappingTurns: own.hasOverlappingTurns)
    } else {
      let before = try session.turns(
        before: made.start, areOverlapping: own.hasOverlappingTurns, in: db)
      self.init(
        session: session.number, entries: made.next, turns: max(own.turns, before),
        attachments: own.attachments + shared, labels: labels, bytes: own.bytes,
        model: try session.model(below: made.next, in: db),
        preview: try session.preview(below: made.next, in: db),
        cover: try session.firstSharedImage(in: db) ?? own.image,
        hasOverlappingTurns: own.hasOverlappingTurns)
    }
  }
}
