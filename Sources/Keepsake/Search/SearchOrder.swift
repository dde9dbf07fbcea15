/// In which order hits come.
public enum SearchOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// What was indexed last comes first; entries that still wait for the index before that.
  case newest
  /// The best match comes first, of the newest 1,000 hits.
  case ranked
}
