/// The header fields of a request or a response, in their order.
///
/// Names are found in any case. A look-up goes through the list, which has at most a hundred fields.
package struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A line of a header.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// Every field, also those that have the same name.
  package private(set) var all: [Field] = []

  package init() {}

  package init(dictionaryLiteral elements: (String, String)...) {
    all = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// The value of a field; nil where there is none.
  ///
  /// The values of several fields of one name are joined by commas, which is what they mean by the rules of HTTP.
  /// Setting a value replaces all fields of the name, and setting nil removes them.
  package subscript(name: String) -> String? {
    get {
      guard let first = all.firstIndex(where: { Self.isSame($0.name, name) }) else { return nil }
      guard all[(first + 1)...].contains(where: { Self.isSame($0.name, name) }) else {
        return all[first].value
      }
      return values(of: name).joined(separator: ", ")
    }
    set {
      all.removeAll { Self.isSame($0.name, name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// The values of all fields of a name, in their order.
  package func values(of name: String) -> [String] {
    all.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// Adds a field, and keeps others of the same name.
  package mutating func append(_ name: String, _ value: String) {
    all.append(Field(name: name, value: value))
  }

  /// Adds the fields of another list whose names are not in this one.
  package mutating func fill(from other: HTTPFields) {
    let known = all
    for field in other.all where !known.contains(where: { Self.isSame($0.name, field.name) }) {
      all.append(field)
    }
  }

  /// The members of a field that is a list with commas, without white space around them. Empty members are left out.
  package func list(_ name: String) -> [Substring] {
    values(of: name).flatMap { value in
      value.split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
    }
  }

  /// Returns whether two names, or two words of the protocol, are the same but for the case of their ASCII letters.
  package static func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    var others = right.utf8.makeIterator()
    for byte in left.utf8 {
      guard let other = others.next(), byte == other || lowered(byte) == lowered(other) else {
        return false
      }
    }
    return others.next() == nil
  }

  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    return text
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
