#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Reads what lists show of the session: title, preview, counts and times.
  ///
  /// The counts are kept up to date by every write, so this costs the same for a session of any length.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func summary() async throws -> Summary {
    try handle.read { db in
      _ = try SessionRow(self, in: db)
      guard let summary = try SessionList.summary(of: number, in: db) else {
        throw KeepsakeError.noSession(id)
      }
      return summary
    }
  }

  /// Gives the session a title.
  /// - Parameter title: The title; nil to remove it.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func rename(_ title: String?) async throws {
    let session = self
    try await handle.write(in: id) { change in
      _ = try SessionRow(session, in: change.db)
      try change.db.sessions.update(title: title, of: session.number)
      change.publish(.renamed(session: session.id))
    }
  }

  /// Adds and removes tags of the session.
  /// - Parameters:
  ///   - added: The tags to add; those that the session has already stay.
  ///   - removed: The tags to remove.
  /// - Throws: ``KeepsakeError``: `invalid` for a text that can't be a tag, `notFound` if the session was deleted.
  @concurrent
  public func tag(_ added: [String], removing removed: [String] = []) async throws {
    for tag in added { try tag.validateAsTag() }
    let session = self
    try await handle.write(in: id) { change in
      _ = try SessionRow(session, in: change.db)
      for tag in removed {
        try change.db.sessions.delete(tag: tag, of: session.number)
      }
      for tag in added { try session.insert(tag: tag, entry: -1, in: change.db) }
      change.publish(.renamed(session: session.id))
    }
  }

  /// Reads the JSON object that the app keeps with the session; nil if there is none.
  /// - Throws: ``KeepsakeError``: `notFound` if the session was deleted.
  @concurrent
  public func metadata() async throws -> JSON? {
    try handle.read { db in
      _ = try SessionRow(self, in: db)
      return try db.sessions.metadata(of: number).map { try JSON(validating: $0) }
    }
  }

  /// Replaces the JSON object that the app keeps with the session.
  /// - Parameter metadata: The object; nil to remove it.
  /// - Throws: ``KeepsakeError``: `invalid` for JSON that is no object, `notFound` if the session was deleted.
  @concurrent
  public func setMetadata(_ metadata: JSON?) async throws {
    try metadata?.validateAsMetadata()
    let session = self
    try await handle.write(in: id) { change in
      _ = try SessionRow(session, in: change.db)
      if let metadata {
        try session.store(metadata: metadata, in: change.db)
      } else {
        try change.db.sessions.deleteMetadata(of: session.number)
      }
      change.publish(.renamed(session: session.id))
    }
  }

  func store(metadata: JSON, in db: Tables) throws {
    try db.sessions.store(metadata: metadata.text, of: number)
  }
}
