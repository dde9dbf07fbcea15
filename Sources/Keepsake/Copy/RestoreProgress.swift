#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far a restoring has got: what one transaction leaves to the next.
struct RestoreProgress: Sendable {
  /// A session that is being made.
  struct Made: Sendable {
    let session: Session
    let isPurged: Bool
    /// The first position of its own.
    let start: Int
    /// Of its next entry.
    var next: Int
    /// Its files, by the change that recorded the import.
    var sources: [Int: Source] = [:]
  }

  struct Source: Sendable {
    let number: Int64
    /// The ordinal of its next piece.
    var next: Int
  }

  var made: [UUID: Made] = [:]
  /// In the order in which they were made.
  var order: [UUID] = []
  /// The session whose records come; nil while they are of one that is known.
  var current: UUID?
  /// The number of the attachment before the first of the copy.
  var base: Int64?
  var artifacts = ImportReport.Artifacts()
  /// Those that were kept already.
  var kept: Set<Artifact.ID> = []

  /// The newest first, so that forks go before what they were forked from.
  var numbers: [Int64] { order.reversed().compactMap { made[$0]?.session.number } }
}
