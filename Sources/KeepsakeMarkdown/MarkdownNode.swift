/// An element of a Markdown text. Elements that hold only text have a beginning and no end event.
package enum MarkdownNode: Sendable, Hashable {
  case quote
  case list(start: Int?, isTight: Bool)
  /// An item of a list. The value says whether its box is ticked; nil where it has no box.
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
  /// HTML as it was written, which is shown as text and never interpreted.
  case html(String, isBlock: Bool)
  case emphasis
  case strong
  case strikethrough
  /// A link, with its destination as the author wrote it, which may have any scheme.
  case link(String, title: String)
  /// An image, with its destination as the author wrote it, which may have any scheme.
  case image(String, title: String)

  /// The alignment of a table's cell.
  package enum Alignment: Sendable, Hashable {
    case natural, left, centre, right
  }
}
