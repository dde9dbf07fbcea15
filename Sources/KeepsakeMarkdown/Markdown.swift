/// A text in GitHub's Markdown whose elements can be visited.
package struct Markdown: Sendable {
  /// The largest text that is parsed, in bytes. Longer text is shown as plain text.
  package static let limit = 32 << 10

  /// The text as it was written.
  package let text: String
  let hasTables: Bool

  /// Accepts a text that can be parsed in about linear time; nil for any other text, which is shown as plain text.
  ///
  /// The result is nil for a text above ``limit``, and for a text with which the shipped versions of cmark-gfm need
  /// quadratic time (CVE-2023-22483, -22484, -24824, -26485, -37463). It is always nil on Apple platforms, where
  /// there is no parser.
  package init?(_ text: String) {
    guard Self.isAvailable, text.utf8.count <= Self.limit else { return nil }
    let shape = MarkdownShape(text)
    guard shape.isHarmless else { return nil }
    self.text = text
    hasTables = shape.cells <= MarkdownShape.cellLimit
  }

  /// Parses the text, and calls a closure with the beginning and the end of each element, in the order of the text.
  package func forEach<Failure: Error>(
    _ body: (MarkdownEvent) throws(Failure) -> Void
  ) throws(Failure) {
    #if canImport(CKeepsakeMarkdown)
      let document = MarkdownDocument(text, hasTables: hasTables)
      try document.forEach(body)
    #endif
  }

  /// Whether this build has a parser.
  package static var isAvailable: Bool {
    #if canImport(CKeepsakeMarkdown)
      true
    #else
      false
    #endif
  }
}
