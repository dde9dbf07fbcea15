#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A change of sessions that waits for the hub, independent of the type of its result.
///
/// Sendable without a lock of its own: only the task that serves the ``SharedWriter`` touches the state, and until then nobody
/// else has the request.
class SharedRequest: @unchecked Sendable {
  /// The session that the change is about, and then those that it depends on.
  let sessions: [UUID]
  /// About how many bytes the change writes.
  let bytes: Int
  /// The time after which the change is not tried again, if it was tried some times.
  let deadline: Instant
  /// The number of times that the change was tried.
  var tries = 0
  /// The change as it was tried last; nil if it failed.
  var tried: Change.Tried?

  /// The session that the change is about.
  var session: UUID { sessions[0] }
  /// The sessions that the change depends on, and does not change: those that a new session is forked from.
  var origins: ArraySlice<UUID> { sessions.dropFirst() }

  init(_ sessions: [UUID], bytes: Int, deadline: Instant) {
    self.sessions = sessions
    self.bytes = bytes
    self.deadline = deadline
  }

  /// Tells whether the request is work that runs alone, and no change that is tried together with others.
  var runsAlone: Bool { false }
  /// Tells whether no request may be tried before this one in the same transaction. A fork has to stand on what the hub has, and not on
  /// another request's change that the hub may still refuse.
  var comesFirst: Bool { runsAlone || !origins.isEmpty }

  /// Does work that runs alone.
  func run() async throws {}

  /// Tries the change in a transaction, and keeps its result; may be called again, and then starts anew.
  func `try`(in writing: WriteTables) throws {}

  /// Makes the change that was tried last a part of its transaction, which is to be committed.
  func keep() throws {}

  /// Answers the caller with the kept result or with an error, exactly once.
  func finish(_ error: (any Error)?) {}
}
