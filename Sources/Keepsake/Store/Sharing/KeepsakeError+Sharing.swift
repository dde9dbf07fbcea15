#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Errors of stores that share the sessions of a hub.
extension KeepsakeError {
  /// A change needs the hub, and the store was opened without it.
  static func sharedElsewhere(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .readOnly,
      "Can't change sessions in '\(path)': the folder is a cache of what a hub has. Open it together with its hub.",
      object: path)
  }

  /// Something that a shared store does not offer.
  static func notShared(_ what: String, _ path: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "\(what) is not possible in the store at '\(path)', which shares the sessions of a hub. Join the hub with another folder as a mirror, and do it there.",
      object: path)
  }

  /// A session takes no changes, because what the hub has of it can't be read.
  static func leftAside(_ session: UUID, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Session \(session) takes no changes, because it is not in step with the hub: \(reason)",
      object: session.uuidString)
  }

  /// The hub did not say whether it has taken a change.
  static func unknown(_ session: UUID, _ hub: any Hub, _ cause: KeepsakeError) -> KeepsakeError {
    KeepsakeError(
      .unknown,
      "It is not known whether the change of session \(session) was made: \(cause.failure) The session takes no other change until the hub at '\(hub.identity.address)' has said it. Read the session then, before the change is repeated.",
      object: session.uuidString, cause: cause)
  }

  /// Other stores changed a session as often as a change was tried.
  static func overtaken(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .locked,
      "Session \(session) was not changed: other stores wrote to it each time that this was tried. Try again.",
      object: session.uuidString)
  }
}
