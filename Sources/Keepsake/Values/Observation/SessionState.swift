#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of a session that tells which changes another process made since.
struct SessionState: Sendable {
  let number: Int64
  var entries = 0
  var attachments = 0
  var turns = 0
  /// The number of changes in the chain, which shows changes that new entries and attachments don't explain.
  var changes = 0
  var title: String?
  /// More detail, for a session that has an observer of its own.
  var detail: Detail?

  /// The state that only observers of a single session need.
  struct Detail: Sendable {
    /// A hash of the session's tags and metadata.
    var description: Int
    var newestTurn: Turn?
    /// The drafts that other open stores stream, with the number of their stored pieces.
    var drafts: [DraftMark]
    /// The number of the newest attachment in the whole store.
    var recorded: Int64
  }

  /// A draft with the number of its stored pieces.
  struct DraftMark: Sendable, Equatable {
    let number: Int64
    let id: UUID
    let pieces: Int
  }
}
