/// A place in the changes of a hub, up to which somebody has followed them. Only the hub that gave a mark can read it.
package struct HubMark: Sendable, Hashable {
  /// The mark as a text, to be kept until the next question.
  package let text: String

  package init(text: String) { self.text = text }
}
