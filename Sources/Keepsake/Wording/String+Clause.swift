extension String {
  /// What a message says, to go on behind it: without the full stop at its end.
  package var clause: String { hasSuffix(".") ? String(dropLast()) : self }
}
