#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The new text of a draft, as one write stores it.
struct DraftPiece: Sendable {
  let draft: Int64
  /// The draft's own id, because its number may belong to another draft by the time of the write.
  let id: UUID
  let number: Int
  let keep: Int
  let text: String
  let schema: String?
}
