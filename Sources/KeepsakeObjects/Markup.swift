/// An element of the XML in which object stores answer.
///
/// Only what such answers have is read. A document type, with which answers could be made to grow or to read files, is
/// refused, and so is what is nested deeply.
struct Markup: Sendable {
  private static let depthLimit = 16

  /// The name of the element, without the prefix of a namespace.
  let name: String
  /// The text directly in the element.
  fileprivate(set) var text = ""
  fileprivate(set) var children: [Markup] = []

  private init(name: String) { self.name = name }

  /// Reads a document; nil for one that is not whole.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard reader.skipProlog(), let root = reader.element(depth: 0), reader.isAtEnd else {
      return nil
    }
    self = root
  }

  /// The text of the first child of a name; nil where there is none.
  func text(of name: String) -> String? { children.first { $0.name == name }?.text }

  /// All children of a name.
  func all(_ name: String) -> [Markup] { children.filter { $0.name == name } }
}

extension Markup {
  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    /// Tells whether only space, or the zeros of a server that fills up, follows.
    var isAtEnd: Bool { bytes[place...].allSatisfy { $0 <= 0x20 } }

    mutating func skipProlog() -> Bool {
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
      while true {
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        if starts("<?") {
          if !skip(past: "?>") { return false }
        } else if starts("<!--") {
          if !skip(past: "-->") { return false }
        } else {
          return starts("<") && !starts("<!")
        }
      }
    }

    /// Reads an element that begins here.
    mutating func element(depth: Int) -> Markup? {
      guard depth < Markup.depthLimit, starts("<"), let (name, isEmpty) = openTag() else {
        return nil
      }
      var element = Markup(name: name)
      if isEmpty { return element }
      var text: [UInt8] = []
      while place < bytes.count {
        if bytes[place] != UInt8(ascii: "<") {
          guard character(&text) else { return nil }
        } else if starts("</") {
          place += 2
          guard let end = self.name(), end == name, skip(past: ">") else { return nil }
          element.text = String(decoding: text, as: UTF8.self)
          return element
        } else if starts("<!--") {
          guard skip(past: "-->") else { return nil }
        } else if starts("<!") || starts("<?") {
          return nil
        } else {
          guard let child = self.element(depth: depth + 1) else { return nil }
          element.children.append(child)
        }
      }
      return nil
    }

    private mutating func openTag() -> (String, isEmpty: Bool)? {
      place += 1
      guard let name = name() else { return nil }
      var quote: UInt8?
      while place < bytes.count {
        let byte = bytes[place]
        place += 1
        if let open = quote {
          if byte == open { quote = nil }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          quote = byte
        } else if byte == UInt8(ascii: "<") {
          return nil
        } else if byte == UInt8(ascii: ">") {
          return (name, bytes[place - 2] == UInt8(ascii: "/"))
        }
      }
      return nil
    }

    /// Reads a name, and leaves out the prefix of its namespace.
    private mutating func name() -> String? {
      let start = place
      let ends = Array(" \t\r\n/>".utf8)
      while place < bytes.count, !ends.contains(bytes[place]) { place += 1 }
      let name = String(decoding: bytes[start..<place], as: UTF8.self)
      return name.split(separator: ":").last.map(String.init)
    }

    /// Reads one byte of text, or an entity.
    private mutating func character(_ text: inout [UInt8]) -> Bool {
      guard bytes[place] == UInt8(ascii: "&") else {
        text.append(bytes[place])
        place += 1
        return true
      }
      guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        return false
      }
      let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
      guard let scalar = Self.scalar(name) else { return false }
      text += Array(String(Character(scalar)).utf8)
      place = end + 1
      return true
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
      switch name {
      case "amp": return "&"
      case "lt": return "<"
      case "gt": return ">"
      case "quot": return "\""
      case "apos": return "'"
      default: break
      }
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      return number.flatMap(Unicode.Scalar.init)
    }

    private func starts(_ text: StaticString) -> Bool {
      bytes[place...].starts(with: "\(text)".utf8)
    }

    private mutating func skip(past text: String) -> Bool {
      let wanted = Array(text.utf8)
      while place < bytes.count {
        if bytes[place...].starts(with: wanted) {
          place += wanted.count
          return true
        }
        place += 1
      }
      return false
    }
  }
}
