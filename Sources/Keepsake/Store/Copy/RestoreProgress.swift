#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The progress of a restoration, passed from one transaction to the next.
struct RestoreProgress: Sendable {
  /// A session that is being made.
  struct Made: Sendable {
    let session: Session
    let isPurged: Bool
    /// The first position that belongs to the session itself, and not to its parent.
    let start: Int
    /// The position of the next entry.
    var next: Int
    /// The session's sources, by the number of the change that recorded the import.
    var sources: [Int: Source] = [:]
  }

  /// A source that is being restored.
  struct Source: Sendable {
    let number: Int64
    /// The ordinal of the next piece.
    var next: Int
  }

  var made: [UUID: Made] = [:]
  /// The made sessions, in order.
  var order: [UUID] = []
  /// The session of the present records; nil if the store has it already.
  var current: UUID?
  /// The number of the attachment before the first one of the copy.
  var base: Int64?
  var artifacts = ImportReport.Artifacts()
  /// The artifacts that were counted already.
  var kept: Set<Artifact.ID> = []

  /// The numbers of the made sessions, newest first, so that forks come before their parents.
  var numbers: [Int64] { order.reversed().compactMap { made[$0]?.session.number } }
}
