#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A change to one session, as records that mean the same in every store: the rows that became others since a point of the
/// session's chain.
///
/// A store that has the session as it was at that point has it as it is now, once it has written these rows in place.
package struct SessionCommit: Sendable {
  /// The name of a row that is not there any more.
  package struct Gone: Sendable, Hashable {
    package let kind: CopyRecord.Kind
    /// The number or the position of the row in its session; of a piece, the import.
    package let first: Int64
    /// The number of a revision of an entry, or of a piece of an import; else 0.
    package let second: Int64
  }

  package let session: UUID
  /// The chain that the session had before; nil if the session is new.
  let base: Chain?
  /// The chain that the session has now; nil if it was deleted.
  let end: Chain?
  /// The rows that are new or were changed, in the order in which they can be written.
  package let records: [CopyRecord]
  package let gone: [Gone]
  /// The artifacts that the store removed meanwhile, if the commit erases: nobody is to keep them as what something was made
  /// from.
  package internal(set) var erased: [Artifact.ID]
  /// The links of the changes, if they are all that is left of a commit in which something was erased; else nil.
  var links: [ChainLink]?
  /// The place among the versions of the session for which the commit was written; nil if it was written for none.
  var place: CommitPlace?

  /// Tells whether the commit is what is left of another one, in whose place it came because something was erased. A later
  /// commit has the whole session, or deletes it.
  var isRemainder: Bool { links != nil }
  /// Tells whether the session was deleted, and nothing of it is needed any more.
  package var isRemoval: Bool { end == nil && !isRemainder }
  /// Tells whether the commit has the whole session, whatever came before it.
  var isWhole: Bool { base == nil && end != nil }
}

extension SessionCommit {
  /// Makes the commit that says of a session that it was deleted.
  static func removal(of session: UUID) -> SessionCommit {
    SessionCommit(session: session, base: nil, end: nil, records: [], gone: [], erased: [])
  }
}
