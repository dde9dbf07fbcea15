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
  /// About how many bytes of a session are read ahead. Whoever takes the session over reads the rest.
  private static let bytes = 1 << 20

  private let sessions: [UUID]
  private let hub: any Hub
  private let handle: StoreHandle
  /// The readings that have begun. The first one is of the session that is returned next.
  private var begun: ArraySlice<Task<NewVersions, any Error>> = []
  /// The number of sessions that were returned.
  private var taken = 0

  init(of sessions: [UUID], from hub: any Hub, for handle: StoreHandle) {
    self.sessions = sessions
    self.hub = hub
    self.handle = handle
  }

  /// Returns the next session of the list, with its new versions; nil at the end of the list.
  ///
  /// If the versions of a session can't be read, the session is returned without versions. A caller that reads the versions gets the error.
  /// - Throws: An error that concerns the hub or the store, and not one session; a `CancellationError`.
  mutating func next() async throws -> (session: UUID, new: NewVersions?)? {
    try Task.checkCancellation()
    guard taken < sessions.count else { return nil }
    while begun.count < Self.width, taken + begun.count < sessions.count {
      begun.append(try read(sessions[taken + begun.count]))
    }
    let session = sessions[taken]
    taken += 1
    let reading = begun.removeFirst()
    do {
      // The task of a reading does not notice by itself that the task of the caller was cancelled.
      let new = try await withTaskCancellationHandler {
        try await reading.value
      } onCancel: {
        reading.cancel()
      }
      return (session, new)
    } catch let error as KeepsakeError where error.isOfAHub { throw error } catch {
      try Task.checkCancellation()
      return (session, nil)
    }
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
