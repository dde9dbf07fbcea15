/// A text in GitHub's Markdown, ready to be walked through.
public struct Markdown: Sendable {
  /// The most bytes that are parsed; whoever has more shows the rest as it is.
  public static let limit = 32 << 10

  let text: String
  let hasTables: Bool

  /// Takes a text that is worth parsing.
  ///
  /// nil for one that is too long, or that would take the parser more than about linear time: the versions of cmark-gfm
  /// that systems ship take quadratic time for many an input (CVE-2023-22483, -22484, -24824, -26485, -37463). Also
  /// where no parser is: on Apple platforms. It is to be shown as plain text then.
  public init?(_ text: String) {
    guard Self.isAvailable, text.utf8.count <= Self.limit else { return nil }
    let shape = MarkdownShape(text)
    guard shape.isHarmless else { return nil }
    self.text = text
    hasTables = shape.cells <= MarkdownShape.cellLimit
  }

  /// Walks through the text in its order.
  public func forEach<Failure: Error>(
    _ body: (MarkdownEvent) throws(Failure) -> Void
  ) throws(Failure) {
    #if canImport(CKeepsakeMarkdown)
      let document = MarkdownDocument(text, hasTables: hasTables)
      try document.forEach(body)
    #endif
  }

  /// Whether this build has a parser.
  public static var isAvailable: Bool {
    #if canImport(CKeepsakeMarkdown)
      true
    #else
      false
    #endif
  }
}
