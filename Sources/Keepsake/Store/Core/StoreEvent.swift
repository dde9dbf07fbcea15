#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event in a store, which observers get once it is durable.
public enum StoreEvent: Sendable {
  /// A session was created.
  case created(session: UUID)
  /// Entries were appended to a session.
  case appended(session: UUID, positions: Range<Int>)
  /// An entry got new content.
  case revised(session: UUID, position: Int)
  /// A draft began, or streamed more of its entry.
  case draft(session: UUID, Draft.Snapshot)
  /// A draft ended, with the position of its entry, or nil if it did not become an entry.
  case draftEnded(session: UUID, draft: UUID, position: Int?)
  /// An attachment was recorded, or got other content, such as its bytes or a caption.
  case attached(session: UUID, Entry.Attachment)
  /// A recorded attachment got its entry or its call.
  case bound(session: UUID, Entry.Attachment)
  /// An invocation started or ended.
  case invoked(session: UUID, Invocation)
  /// A running invocation reported progress.
  case progress(session: UUID, invocation: UUID, fraction: Double, note: String?)
  /// A turn was opened or closed.
  case turn(session: UUID, Turn)
  /// A session's title, tags or metadata changed.
  case renamed(session: UUID)
  /// A session was deleted.
  case deleted(session: UUID)
  /// Another process changed the session, or the observer was too slow: read again what you show of the session.
  case changedElsewhere(session: UUID)

  /// The id of the session in which the event happened.
  public var session: UUID {
    switch self {
    case .created(let session), .appended(let session, _), .revised(let session, _),
      .draft(let session, _), .draftEnded(let session, _, _), .attached(let session, _),
      .bound(let session, _), .invoked(let session, _), .progress(let session, _, _, _),
      .turn(let session, _), .renamed(let session), .deleted(let session),
      .changedElsewhere(let session):
      session
    }
  }
}
