import Keepsake

/// The work that answers one request.
package struct Call: Sendable {
  /// The reasons for which a call is not run to its end.
  enum Refusal: Sendable {
    /// As many calls wait as may.
    case busy
    /// The call took longer than it may.
    case late(Duration)

    /// A sentence for the model.
    var message: String {
      switch self {
      case .busy: "Too many calls are under way. Wait for some of them, and call again."
      case .late(let limit):
        "The call took longer than \(limit.components.seconds) s, and was given up. Ask for less: give a session, a tool, or a shorter time."
      }
    }
  }

  /// A notice of how far a call is.
  struct Progress: Sendable {
    let done: Int
    let total: Int
    let message: String
  }

  /// The id of the request.
  let id: JSON
  /// The longest time that the call may take, from the moment that it was submitted.
  let deadline: Duration
  /// The token that notices of progress are sent with; nil if none are wanted.
  let progressToken: JSON?
  let revision: Revision
  /// Does the work, and gives the answer. It reports its progress to the closure.
  let run: @Sendable (_ report: @escaping @Sendable (Progress) -> Void) async -> [UInt8]
  /// Gives the answer to a call that was not run to its end.
  let refuse: @Sendable (Refusal) -> [UInt8]

  /// A notice of progress as a message.
  func notice(_ progress: Progress) -> [UInt8]? {
    guard let progressToken else { return nil }
    return Answer.notice("notifications/progress") { writer in
      writer.member("progressToken", progressToken)
      writer.member("progress", progress.done)
      writer.member("total", progress.total)
      if revision.has(.progressMessage) { writer.member("message", progress.message) }
    }
  }
}
