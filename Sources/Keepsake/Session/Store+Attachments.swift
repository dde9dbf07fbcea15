import KeepsakeSQLite

extension Store {
  /// The attachments of all sessions that are in one state, the newest first, a page at a time: what is still awaited,
  /// with `.pending`, or what failed.
  ///
  /// A page costs the same however many there are in other states. Of what is present, ask for artifacts instead.
  /// - Parameters:
  ///   - state: The state.
  ///   - limit: How many a page has.
  ///   - recording: The `recording` of the last one of the page before.
  @concurrent
  public func attachments(
    in state: Entry.Attachment.State, limit: Int = 50, before recording: Int64? = nil
  ) async throws -> [Entry.Attachment] {
    let core = core
    return try core.read { db in
      try AttachmentReader(core, in: db).read(
        where: state == .present ? Self.attachmentsThatArePresent : Self.attachmentsInState
      ) {
        $0.bind(state.code)
        $0.bind(recording ?? .max)
        $0.bind(max(0, limit))
      }.map(\.value)
    }
  }

  static let attachmentsThatArePresent = """
    a.state = ?1 AND a.number < ?2 AND s.\(SessionPresence.isShown)
      AND a.direction <> \(Entry.Attachment.Direction.content.code)
    ORDER BY a.number DESC LIMIT ?3
    """
  /// The index has what is not present, and is only used where that is said.
  static let attachmentsInState =
    "a.state <> \(Entry.Attachment.State.present.code) AND " + attachmentsThatArePresent
}
