extension String {
  /// The tag with its mark `#`, which it may have already.
  package var markedAsTag: String { hasPrefix("#") ? self : "#\(self)" }
}
