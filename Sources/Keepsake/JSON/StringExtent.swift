/// The range of a checked string, with the facts that its decoding needs.
struct StringExtent {
  /// The range of the bytes between the quotes.
  var start: Int
  var end: Int
  var hasEscape: Bool
  var isASCII: Bool
}
