/// A step of the visit of a Markdown text: an element begins or ends.
package enum MarkdownEvent: Sendable, Hashable {
  case begin(MarkdownNode)
  case end(MarkdownNode)
}
