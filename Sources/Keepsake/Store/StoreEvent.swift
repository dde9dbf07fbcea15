#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Something that happened in a store, told to observers once it is durable.
public enum StoreEvent: Sendable {
  case created(session: UUID)
  case appended(session: UUID, positions: Range<Int>)
  case revised(session: UUID, position: Int)
  case draft(session: UUID, Draft.Snapshot)
  /// A draft ended; with the position of its entry where it became one.
  case draftEnded(session: UUID, draft: UUID, position: Int?)
  case attached(session: UUID, Entry.Attachment)
  /// An attachment came to know its entry or call.
  case bound(session: UUID, Entry.Attachment)
  case invoked(session: UUID, Invocation)
  case progress(session: UUID, invocation: UUID, fraction: Double, note: String?)
  case turn(session: UUID, Turn)
  /// What is said of the session changed: its title, tags or metadata.
  case renamed(session: UUID)
  case deleted(session: UUID)
  /// Another process changed the session, or the observer fell behind: read again what you show of it.
  case changedElsewhere(session: UUID)

  /// The session that it happened in.
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
