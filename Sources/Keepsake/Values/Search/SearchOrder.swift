/// The orders in which a search returns hits.
public enum SearchOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// The most recently indexed entries come first, and entries that still wait for the index before them.
  case newest
  /// The best matches come first, out of the newest 1,000 hits.
  case ranked
}
