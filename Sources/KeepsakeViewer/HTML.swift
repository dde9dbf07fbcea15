import Keepsake

/// HTML that is being written, with slots for the bytes of artifacts.
///
/// Markup comes only from literals of this program. Text from a session passes through ``text(_:)`` or an attribute,
/// and is escaped there. So no text of a session can become markup.
package struct HTML: Sendable {
  /// A slot for an artifact's bytes in base64.
  struct Slot: Sendable {
    let offset: Int
    let artifact: Artifact
  }

  package private(set) var bytes: [UInt8] = []
  private(set) var slots: [Slot] = []

  package init() {}

  package typealias Attributes = KeyValuePairs<StaticString, String?>

  /// Writes markup unchanged.
  package mutating func markup(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes text of any origin, in which invisible characters are made visible.
  package mutating func text(_ text: String) {
    VisibleText.append(text, to: &bytes, badges: .elements)
  }

  /// Writes HTML that a fragment of this room has drawn.
  package mutating func drawn(_ html: [UInt8]) { bytes += html }

  /// Writes an element whose content the closure writes. An attribute without a value is left out.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], _ body: (inout HTML) -> Void = { _ in }
  ) {
    begin(name, attributes)
    body(&self)
    end(name)
  }

  /// Writes an element that holds a text.
  package mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String)
  {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes the start of an element, or an element that has no end.
  package mutating func begin(_ name: StaticString, _ attributes: Attributes = [:]) {
    beginTag(name, attributes)
    markup(">")
  }

  package mutating func end(_ name: StaticString) {
    markup("</")
    markup(name)
    markup(">")
  }

  /// Writes the start of an element with a `data:` URL of an artifact in an attribute.
  mutating func begin(
    _ name: StaticString, _ attributes: Attributes, bytesOf artifact: Artifact,
    as type: EmbeddedType, in attribute: StaticString
  ) {
    beginTag(name, attributes)
    beginAttribute(attribute)
    markup("data:")
    markup(type.essence)
    markup(";base64,")
    slots.append(Slot(offset: bytes.count, artifact: artifact))
    markup("\">")
  }

  /// Writes the start of an element with a URL in an attribute.
  package mutating func begin(
    _ name: StaticString, _ attributes: Attributes, url: String, in attribute: StaticString
  ) {
    beginTag(name, attributes)
    beginAttribute(attribute)
    VisibleText.append(url, to: &bytes, badges: .brackets)
    markup("\">")
  }

  private mutating func beginTag(_ name: StaticString, _ attributes: Attributes) {
    markup("<")
    markup(name)
    for (name, value) in attributes {
      guard let value else { continue }
      beginAttribute(name)
      VisibleText.append(value, to: &bytes, badges: .brackets)
      markup("\"")
    }
  }

  private mutating func beginAttribute(_ name: StaticString) {
    markup(" ")
    markup(name)
    markup("=\"")
  }

  /// Writes the style sheet or the script of this program unchanged.
  mutating func own(_ text: [UInt8]) { bytes += text }
}
