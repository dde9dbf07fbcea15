extension String {
  /// A tag as it is shown: with its mark, which it may have already.
  package var markedAsTag: String { hasPrefix("#") ? self : "#\(self)" }
}
