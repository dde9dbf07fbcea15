/// The syntax around a mention in a text, which decides how another reference replaces the mention.
struct ReferenceContext {
  let kind: Kind
  /// The range of the image, link or tag with the mention as its destination; otherwise the range of the mention.
  let whole: Range<Int>

  /// The kinds of syntax around a mention.
  enum Kind {
    /// The mention is part of running text.
    case plain
    /// The mention is a whole string.
    case string
    /// The mention is in quotes or backticks.
    case quoted
    /// The mention is the destination of a Markdown image or link.
    case destination
    /// The mention is in angle brackets, by themselves or as the destination of a Markdown image or link.
    case bracketed
    /// The mention is the value of an HTML attribute.
    case attribute
  }

  var isSetApart: Bool {
    switch kind {
    case .plain: false
    default: true
    }
  }

  /// The length in bytes above which images and tags are not recognized.
  private static let limit = 4096

  /// Finds the syntax around a mention in a whole text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - range: The range of the mention.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.init(bytes, range, in: bytes.indices)
  }

  init(_ bytes: [UInt8], _ range: Range<Int>, in string: Range<Int>) {
    func at(_ index: Int) -> UInt8 { string.contains(index) ? bytes[index] : 0 }
    let before = at(range.lowerBound - 1)
    let after = at(range.upperBound)
    if range == string {
      self.init(kind: .string, whole: range)
    } else if before == UInt8(ascii: "<"), after == UInt8(ascii: ">") {
      let bracketed = range.lowerBound - 1..<range.upperBound + 1
      let link = Self.link(around: bracketed, at: at)
      self.init(kind: .bracketed, whole: link ?? bracketed)
    } else if let link = Self.link(around: range, at: at) {
      self.init(kind: .destination, whole: link)
    } else if at(range.lowerBound - 2) == UInt8(ascii: "="), before == after,
      before == UInt8(ascii: "\"") || before == UInt8(ascii: "'")
    {
      self.init(kind: .attribute, whole: Self.tag(around: range, at: at) ?? range)
    } else if before == after,
      before == UInt8(ascii: "`") || before == UInt8(ascii: "\"")
        || before == UInt8(ascii: "'")
    {
      self.init(kind: .quoted, whole: range)
    } else {
      self.init(kind: .plain, whole: range)
    }
  }

  private init(kind: Kind, whole: Range<Int>) {
    self.kind = kind
    self.whole = whole
  }

  /// Returns the Markdown image or link with a destination; nil if there is none.
  private static func link(around destination: Range<Int>, at: (Int) -> UInt8) -> Range<Int>? {
    var start = destination.lowerBound - 1
    while at(start) == UInt8(ascii: " ") { start -= 1 }
    guard at(start) == UInt8(ascii: "("), at(start - 1) == UInt8(ascii: "]"),
      let end = closing(destination.upperBound, at: at)
    else { return nil }
    var depth = 0
    start -= 1
    let limit = start - Self.limit
    while start > limit {
      switch at(start) {
      case UInt8(ascii: "]"): depth += 1
      case UInt8(ascii: "["):
        depth -= 1
        if depth == 0 { return (at(start - 1) == UInt8(ascii: "!") ? start - 1 : start)..<end }
      case 0, UInt8(ascii: "\n"): return nil
      default: break
      }
      start -= 1
    }
    return nil
  }

  /// Returns the end of a link after its destination, with an optional title and the parenthesis; nil if it does not end.
  private static func closing(_ start: Int, at: (Int) -> UInt8) -> Int? {
    var index = start
    while at(index) == UInt8(ascii: " ") { index += 1 }
    let quote = at(index)
    if index > start,
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") || quote == UInt8(ascii: "(")
    {
      let close = quote == UInt8(ascii: "(") ? UInt8(ascii: ")") : quote
      let limit = index + limit
      index += 1
      while index < limit, at(index) != close, at(index) != 0, at(index) != UInt8(ascii: "\n") {
        index += at(index) == UInt8(ascii: "\\") ? 2 : 1
      }
      guard at(index) == close else { return nil }
      index += 1
      while at(index) == UInt8(ascii: " ") { index += 1 }
    }
    return at(index) == UInt8(ascii: ")") ? index + 1 : nil
  }

  /// Returns the range of the `<img …>` tag with an attribute value; nil if there is none.
  private static func tag(around value: Range<Int>, at: (Int) -> UInt8) -> Range<Int>? {
    var start = value.lowerBound
    while start > value.lowerBound - limit, at(start) != UInt8(ascii: "<"), at(start) != 0 {
      start -= 1
    }
    guard at(start) == UInt8(ascii: "<"), at(start + 1) | 0x20 == UInt8(ascii: "i"),
      at(start + 2) | 0x20 == UInt8(ascii: "m"), at(start + 3) | 0x20 == UInt8(ascii: "g")
    else { return nil }
    var end = value.upperBound
    while end < value.upperBound + limit, at(end) != UInt8(ascii: ">"), at(end) != 0 { end += 1 }
    return at(end) == UInt8(ascii: ">") ? start..<end + 1 : nil
  }
}
