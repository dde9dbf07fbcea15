#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of an import that one transaction leaves to the next.
struct ImportProgress: Sendable {
  var session: Session?
  var source: Int64?
  /// The id of the open store, which stands in the source's row. Without it, somebody gave this import up for dead.
  var owner: UUID?
  /// The place of the next piece.
  var ordinal: Int
  /// The first position that was added.
  var first: Int?
  var added = 0
  var revised = 0
  /// The import that goes on, if the new records follow the stored beginning of their file.
  var extended: Int64?
  /// The positions of the entries that were read from the file.
  var places = FilePlaces()
  var artifacts = ImportReport.Artifacts()
}
