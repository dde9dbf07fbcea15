/// A strong entity tag (`ETag`): two answers of one resource with the same tag are the same bytes.
package struct HTTPTag: Sendable, Hashable {
  /// The text between the quotation marks.
  package let value: String

  /// Creates a tag, such as one made of a digest; nil where the text has a quotation mark, a space or a control in it.
  package init?(_ value: String) {
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 < 0x7F }) else {
      return nil
    }
    self.value = value
  }

  private init(checked value: String) { self.value = value }

  /// The tag as a field holds it.
  package var text: String { "\"\(value)\"" }

  /// The tag of the same content when it is sent compressed, which is other bytes.
  var compressed: HTTPTag { HTTPTag(checked: value + Self.suffix) }

  private static let suffix = "-gzip"

  /// Returns whether a list of tags names this one, by the comparison that ignores `W/` and compression.
  ///
  /// It is for `If-None-Match`, where the client only asks whether what it has is still right.
  func isIn(_ list: String) -> Bool {
    Self.tags(list).contains { $0.isAny || $0.value == value || $0.value == value + Self.suffix }
  }

  /// Returns whether a list names this tag as a strong one. It is for `If-Match` and `If-Range`, where bytes are put together.
  func isStronglyIn(_ list: String) -> Bool {
    Self.tags(list).contains { $0.isAny || (!$0.isWeak && $0.value == value) }
  }

  private struct Listed {
    var value: Substring
    var isWeak = false
    var isAny = false
  }

  /// The tags of a list, up to the first thing that is none.
  private static func tags(_ list: String) -> [Listed] {
    var found: [Listed] = []
    var rest = HTTPFields.trimmed(list[...])
    if rest == "*" { return [Listed(value: "", isAny: true)] }
    while !rest.isEmpty {
      if rest.utf8.first == UInt8(ascii: ",") {
        rest = HTTPFields.trimmed(rest.dropFirst())
        continue
      }
      let isWeak = rest.hasPrefix("W/")
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.utf8.first == 0x22,
        let end = rest.dropFirst().utf8.firstIndex(of: 0x22)
      else { break }
      found.append(Listed(value: rest.dropFirst()[..<end], isWeak: isWeak))
      rest = HTTPFields.trimmed(rest[rest.utf8.index(after: end)...])
      guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ",") else { break }
    }
    return found
  }
}
