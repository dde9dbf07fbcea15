/// One page of what was found.
public struct SearchPage: Sendable, Hashable {
  public let hits: [SearchHit]
  /// What to ask with for the next page; nil at the end.
  public let next: SearchCursor?
  /// How many entries were not in the index yet and had to be read one by one.
  ///
  /// None is missed for that. Above some thousands it is slow: a store that is open for reading can't index them.
  public let unindexed: Int
}
