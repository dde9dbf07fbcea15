extension Lineage {
  /// Reads the lineage of a session, from the session up to its root.
  init(of session: Int64, in db: Tables) throws { self = try db.sessions.lineage(of: session) }
}
