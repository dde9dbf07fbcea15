extension SessionRow {
  /// Reads the row of a session; throws if the session was deleted since its handle was made, even if its number was
  /// reused.
  ///
  /// A purged session, which only shows in its forks, is read with `orPurged` alone, for erasing.
  init(_ session: Session, orPurged: Bool = false, in db: Tables) throws {
    try self.init(session.number, id: session.id, orPurged: orPurged, in: db)
  }

  /// Reads the number of a session's entries alone.
  static func entries(of session: Session, in db: Tables) throws -> Int {
    try entries(of: session.number, id: session.id, in: db)
  }
}
