#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the new versions of the next sessions of a list while the versions of others are written to the folder.
///
/// A hub that is far away takes long for each answer, and answers several questions in that time.
struct ReadAhead {
  /// The number of sessions that are read at a time.
  static let width = 4
  /// About how many bytes of a session are read. The rest is read when it is the session's turn.
  private static let bytes = 1 << 20

  private let sessions: [UUID]
  private let hub: any Hub
  private let handle: StoreHandle
  /// The readings that have begun, of the sessions from the next one on.
  private var begun: ArraySlice<Task<NewVersions, any Error>> = []
  private var taken = 0

  init(of sessions: [UUID], from hub: any Hub, for handle: StoreHandle) {
    self.sessions = sessions
    self.hub = hub
    self.handle = handle
  }

  /// Returns the next session of the list, with its new versions; nil at the end of the list.
  ///
  /// If the versions of the session can't be read, it comes without them. Whoever reads them again gets the error.
  /// - Throws: An error that is one of all sessions.
  mutating func next() async throws -> (session: UUID, new: NewVersions?)? {
    try Task.checkCancellation()
    guard taken < sessions.count else { return nil }
    while begun.count < Self.width, taken + begun.count < sessions.count {
      begun.append(try read(sessions[taken + begun.count]))
    }
    let session = sessions[taken]
    taken += 1
    do { return (session, try await begun.removeFirst().value) } catch let error as KeepsakeError
      where error.isOfAHub
    { throw error } catch { return (session, nil) }
  }

  private func read(_ session: UUID) throws -> Task<NewVersions, any Error> {
    let seen = try handle.read { try $0.hubSessions.row(session) } ?? .init(id: session)
    return Task { [hub] in
      let versions = try await hub.versions(of: session, after: seen.version, bytes: Self.bytes)
      return NewVersions(versions, after: seen)
    }
  }

  /// Ends the readings that have begun.
  mutating func end() async {
    for task in begun { task.cancel() }
    for task in begun { _ = await task.result }
    begun = []
  }
}
