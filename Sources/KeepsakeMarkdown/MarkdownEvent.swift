/// A step of the walk through a Markdown text: what begins, what ends, and what stands between.
public enum MarkdownEvent: Sendable, Hashable {
  case begin(MarkdownNode)
  case end(MarkdownNode)
}

/// What a piece of a Markdown text is. Whatever holds text alone begins and does not end.
public enum MarkdownNode: Sendable, Hashable {
  case quote
  case list(start: Int?, isTight: Bool)
  /// An item of a list; whether its box is ticked, where it has one.
  case item(isTicked: Bool?)
  case codeBlock(String, language: String)
  case paragraph
  case heading(Int)
  case rule
  case table
  case row(isHeader: Bool)
  case cell(Alignment, isHeader: Bool)
  case text(String)
  case softBreak
  case lineBreak
  case code(String)
  /// HTML, as it was written: to be shown, and never to be obeyed.
  case html(String, isBlock: Bool)
  case emphasis
  case strong
  case strikethrough
  /// A link; its destination is as the author wrote it, of any scheme.
  case link(String, title: String)
  /// An image; its destination is as the author wrote it, of any scheme.
  case image(String, title: String)

  public enum Alignment: Sendable, Hashable {
    case natural, left, centre, right
  }
}
