/// A page of the hits of a search.
public struct SearchPage: Sendable, Hashable {
  /// The hits of the page.
  public let hits: [SearchHit]
  /// The cursor with which to ask for the next page; nil at the end.
  public let next: SearchCursor?
  /// The number of entries that were not in the index and had to be read one by one.
  ///
  /// No hit is missed because of them. Above some thousands the search is slow, and a store that is open for reading can't
  /// index them.
  public let unindexed: Int
}
