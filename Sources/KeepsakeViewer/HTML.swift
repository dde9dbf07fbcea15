import Keepsake

/// HTML that is being written, with places for the bytes of artifacts.
///
/// Markup comes from literals of this program alone; whatever comes from a session goes through ``text(_:)`` or stands in
/// an attribute, and is escaped there. So no text of a session can become markup.
struct HTML: Sendable {
  /// A place where an artifact's bytes belong, as base64.
  struct Slot: Sendable {
    let offset: Int
    let artifact: Artifact
  }

  private(set) var bytes: [UInt8] = []
  private(set) var slots: [Slot] = []

  typealias Attributes = KeyValuePairs<StaticString, String?>

  /// Markup, to the letter.
  mutating func markup(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Text of any origin; what would not be seen in it is.
  mutating func text(_ text: String) {
    VisibleText.append(text, to: &bytes, badges: .elements)
  }

  /// An element with what the body writes into it; an attribute without a value is left out.
  mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], _ body: (inout HTML) -> Void = { _ in }
  ) {
    begin(name, attributes)
    body(&self)
    end(name)
  }

  /// An element that holds this text and nothing else.
  mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// The start of an element, or an element that has no end.
  mutating func begin(_ name: StaticString, _ attributes: Attributes = [:]) {
    beginTag(name, attributes)
    markup(">")
  }

  mutating func end(_ name: StaticString) {
    markup("</")
    markup(name)
    markup(">")
  }

  /// The start of an element with a `data:` URL of an artifact in an attribute.
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

  /// A style sheet of ours, to the letter.
  mutating func style(_ sheet: [UInt8]) { bytes += sheet }
}
