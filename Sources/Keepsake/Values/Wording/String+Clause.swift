extension String {
  /// The sentence without its full stop, to be continued in a longer message.
  package var clause: String { hasSuffix(".") ? String(dropLast()) : self }
}
